/*
 * Probes that a program has made before it is traced are listed with the types
 * of their arguments.
 * @@needs: prog:maker
 */

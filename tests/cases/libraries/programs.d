/*
 * Probes that a library makes of one origin share a program, or have several if
 * clauses are many; they fire in the order of the library either way.
 * @@needs: prog:known
 */
BEGIN { exit(0); }

/*
 * A function's name that is nearly right, and a program without names.
 * @@needs: prog:calls
 */
BEGIN { exit(0); }

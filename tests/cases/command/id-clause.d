/*
 * The ids of -l serve in a script, too.
 * @@needs: prog:known
 */
BEGIN { exit(0); }

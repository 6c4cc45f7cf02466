/*
 * What a library makes of one origin is one program, and several where clauses are
 * many; in the order of the library either way, at one time.
 * @@needs: prog:known
 */
BEGIN { exit(0); }

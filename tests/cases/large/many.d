/*
 * 5,000 clauses take turns at 100 system calls, or at the functions of a
 * program: each counts the calls of its own, in the order of the script, and
 * those of all calls are the first and the last.
 * @@needs: prog:known prog:calls
 */
BEGIN { exit(0); }

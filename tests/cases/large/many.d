/*
 * 5,000 clauses take turns at 100 system calls: each counts the calls of its
 * own, in the order of the script, and clauses of all calls are the first and
 * the last.
 * @@needs: prog:known
 */
BEGIN { exit(0); }

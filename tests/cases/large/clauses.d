/*
 * 500 clauses of one probe, with predicates, faults, clauses of ERROR and an
 * exit() in the midst, run in their order, in the kernel and in a program.
 * @@needs: prog:known prog:calls
 */
BEGIN { exit(0); }

/*
 * 120 aggregations without keys, as many with keys and as many arrays, each by
 * a name of its own, in clauses of one probe: more maps than the kernel lets
 * one program have (64).
 * @@needs: prog:known
 */
BEGIN { exit(0); }

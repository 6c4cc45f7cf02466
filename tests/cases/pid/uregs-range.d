/*
 * A number of a register that is computed and does not exist is an illegal
 * operation.
 * @@args: -q
 */
BEGIN { trace(uregs[pid != 0 ? 26 : 0]); }
ERROR { printf("fault %d\n", arg4); exit(0); }

/*
 * Clauses of one probe run in program order.
 * @@args: -q
 */
BEGIN { printf("1"); }
END { printf("4"); }
BEGIN { printf("2"); }
END { printf("5\n"); }
BEGIN { printf("3"); exit(0); }

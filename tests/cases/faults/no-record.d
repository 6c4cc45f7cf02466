/*
 * A firing that faults leaves no record behind, not even half of one.
 * @@args: -q
 */
BEGIN { printf("a "); trace(*(int *)0); printf("b"); }
BEGIN { printf("c\n"); exit(0); }

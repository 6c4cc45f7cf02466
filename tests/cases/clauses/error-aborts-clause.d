/*
 * A fault ends its clause; the probe's next clause runs.
 * @@args: -q
 */
BEGIN { printf("a\n"); }
BEGIN { x = 0; y = 1 / x; printf("never\n"); }
BEGIN { printf("b\n"); exit(0); }

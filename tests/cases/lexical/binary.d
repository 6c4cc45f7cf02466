/*
 * 0b constants are accepted.
 * @@args: -q
 */
BEGIN { printf("%d %d\n", 0b101, 0B11); exit(0); }

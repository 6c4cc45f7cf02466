/*
 * A store that comes before the fault stays.
 * @@args: -q
 */
BEGIN { x = 3; y = *(int *)0; x = 4; }
BEGIN { printf("%d %d\n", x, y); exit(0); }

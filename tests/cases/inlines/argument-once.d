/*
 * An inline's argument is evaluated once, however often the parameter stands in
 * it.
 * @@args: -q
 */
inline int square[int x] = x * x + x;
BEGIN { x = 3; printf("%d", square[x++]); printf(" %d\n", x); exit(0); }

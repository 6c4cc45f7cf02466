/*
 * An inline is evaluated where it is used.
 * @@args: -q
 */
int n;
inline int next = ++n;
BEGIN { printf("%d", next); printf(" %d\n", next); exit(0); }

/*
 * An inline of constant arguments is a constant: it can be an array's size.
 * @@args: -q
 */
inline int twice[int x] = x * 2;
char buffer[twice[8]];
BEGIN { printf("%d\n", sizeof (buffer)); exit(0); }

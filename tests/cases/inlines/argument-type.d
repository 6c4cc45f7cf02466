/*
 * An inline's argument is converted to the parameter's type.
 * @@args: -q
 */
inline int low[char c] = c;
BEGIN { x = 0x181; printf("%d %d\n", low[x], low[0x102]); exit(0); }

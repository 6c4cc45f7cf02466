/*
 * An inline with parameters has no address.
 * @@needs: nothing
 */
inline int f[int x] = x;
BEGIN { trace(&f[pid]); }

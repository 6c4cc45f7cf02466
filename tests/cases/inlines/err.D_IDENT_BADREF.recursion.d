/*
 * An inline cannot refer to itself.
 * @@needs: nothing
 */
inline int f[int x] = x > 0 ? f[x - 1] : 0;
BEGIN { trace(f[3]); }

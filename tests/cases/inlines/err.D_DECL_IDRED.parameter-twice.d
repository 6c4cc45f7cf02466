/*
 * An inline's parameters have different names.
 * @@needs: nothing
 */
inline int f[int x, int x] = x;
BEGIN { trace(f[3, 4]); }

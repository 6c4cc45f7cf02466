/*
 * An inline's parameter cannot be written.
 * @@needs: nothing
 */
inline int f[int x] = x++;
BEGIN { trace(f[3]); }

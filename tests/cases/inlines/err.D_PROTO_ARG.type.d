/*
 * An inline's argument must fit its parameter.
 * @@needs: nothing
 */
inline int f[int x] = x;
BEGIN { trace(f[execname]); }

/*
 * An inline with parameters needs arguments.
 * @@needs: nothing
 */
inline int f[int x] = x;
BEGIN { trace(f); }

/*
 * An inline with parameters cannot be assigned.
 * @@needs: nothing
 */
inline int f[int x] = x;
BEGIN { f[1] = 2; }

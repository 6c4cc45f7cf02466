/*
 * An inline's parameter needs a name.
 * @@needs: nothing
 */
inline int f[int] = 1;
BEGIN { trace(f[3]); }

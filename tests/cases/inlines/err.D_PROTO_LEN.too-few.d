/*
 * An inline takes as many arguments as it has parameters.
 * @@needs: nothing
 */
inline int f[int x, int y] = x + y;
BEGIN { trace(f[3]); }

/*
 * An inline with arguments is one, and not an associative array.
 * @@needs: nothing
 */
inline int f[int a, string b] = a;
BEGIN { trace(f); }

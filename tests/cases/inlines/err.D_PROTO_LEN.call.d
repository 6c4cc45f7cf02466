/*
 * An inline that is called needs as many arguments as it has parameters.
 * @@needs: nothing
 */
inline int twice[int x] = x * 2;
BEGIN { trace(twice(1, 2)); }

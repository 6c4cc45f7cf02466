/*
 * An inline's argument must have the type of the parameter, in a call, too.
 * @@needs: nothing
 */
inline int twice[int x] = x * 2;
BEGIN { trace(twice("a")); }

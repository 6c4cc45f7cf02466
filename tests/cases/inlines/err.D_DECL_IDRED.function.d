/*
 * An inline does not take the name of a function.
 * @@needs: nothing
 */
inline int rand = 3;
BEGIN { }

/*
 * A pointer to a function is not counted on.
 * @@needs: nothing
 */
int (*f)(int);
BEGIN { trace(f + 1); }

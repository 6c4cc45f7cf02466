/*
 * A number cannot be added to a pointer to a function.
 * @@needs: nothing
 */
int (*f)(int);
BEGIN { trace(f + 1); }

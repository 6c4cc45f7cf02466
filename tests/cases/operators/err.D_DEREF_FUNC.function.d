/*
 * A function cannot be loaded.
 * @@needs: nothing
 */
int (*f)(int);
BEGIN { trace(*f); }

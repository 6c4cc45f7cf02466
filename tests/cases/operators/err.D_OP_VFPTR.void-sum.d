/*
 * A number cannot be added to a pointer to void.
 * @@needs: nothing
 */
BEGIN { p = (void *)0 + 1; }

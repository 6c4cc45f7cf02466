/*
 * How far the next void is nobody knows.
 * @@needs: nothing
 */
BEGIN { p = (void *)0 + 1; }

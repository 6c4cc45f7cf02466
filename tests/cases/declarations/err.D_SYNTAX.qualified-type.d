/*
 * Only _Atomic takes its type in parentheses; another qualifier does not.
 * @@needs: nothing
 */
volatile(int) x;
BEGIN { exit(0); }

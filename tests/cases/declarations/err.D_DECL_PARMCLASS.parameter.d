/*
 * A parameter has no storage class.
 * @@needs: nothing
 */
extern int f(self int x);
BEGIN { }

/*
 * (void) stands alone in a prototype.
 * @@needs: nothing
 */
extern int f(int, void);
BEGIN { }

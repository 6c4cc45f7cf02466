/*
 * Arrays of C are not assigned as a whole.
 * @@needs: nothing
 */
int a[2];
int b[2];
BEGIN { a = b; }

/*
 * A variable's size is limited.
 * @@needs: nothing
 */
char big[1000000];
BEGIN { }

/*
 * A declaration has one type.
 * @@needs: nothing
 */
int char x;
BEGIN { }

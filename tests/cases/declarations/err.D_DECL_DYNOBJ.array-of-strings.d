/*
 * An array of strings has no size.
 * @@needs: nothing
 */
string x[3];
BEGIN { }

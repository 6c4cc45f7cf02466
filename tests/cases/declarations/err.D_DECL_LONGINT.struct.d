/*
 * No struct is long.
 * @@needs: nothing
 */
long struct s { int a; } x;
BEGIN { }

/*
 * The size of an array is positive.
 * @@needs: nothing
 */
struct s { int a[-1]; };
BEGIN { exit(0); }

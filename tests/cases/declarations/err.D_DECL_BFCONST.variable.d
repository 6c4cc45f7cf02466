/*
 * The width of a bit-field is a constant.
 * @@needs: nothing
 */
struct s { int a : pid; };
BEGIN { }

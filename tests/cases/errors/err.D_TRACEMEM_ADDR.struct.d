/*
 * The address is a scalar.
 * @@needs: nothing
 */
struct s { int a; };
BEGIN { tracemem(*(struct s *)arg0, 4); }

/*
 * tracemem() takes an address.
 * @@needs: nothing
 */
struct s { int a; } v;
BEGIN { tracemem(v, 8); }

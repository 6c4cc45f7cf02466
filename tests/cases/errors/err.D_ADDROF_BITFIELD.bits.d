/*
 * A bit-field has no address.
 * @@needs: nothing
 */
struct s { int a : 3; };
BEGIN { trace(&((struct s *)arg0)->a); }

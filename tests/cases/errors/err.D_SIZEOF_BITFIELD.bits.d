/*
 * A bit-field has no size in bytes.
 * @@needs: nothing
 */
struct s { int a : 3; };
BEGIN { trace(sizeof (((struct s *)arg0)->a)); }

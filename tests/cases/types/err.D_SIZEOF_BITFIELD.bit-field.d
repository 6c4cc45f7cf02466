/*
 * A bit-field has no size in bytes.
 * @@needs: nothing
 */
struct s { int a : 3; } v;
BEGIN { trace(sizeof (v.a)); }

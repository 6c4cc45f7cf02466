/*
 * A bit-field has no address.
 * @@needs: nothing
 */
struct s { int a : 3; } *p;
BEGIN { trace(&p->a); }

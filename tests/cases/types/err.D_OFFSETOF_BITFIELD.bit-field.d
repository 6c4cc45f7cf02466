/*
 * A bit-field has no offset in bytes.
 * @@needs: nothing
 */
struct s { int a : 3; };
BEGIN { trace(offsetof(struct s, a)); }

/*
 * A member without a name must be an anonymous struct or union.
 * @@needs: nothing
 */
struct a { int x; };
struct b { struct a; };
BEGIN { }

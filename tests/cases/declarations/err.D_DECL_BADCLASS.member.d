/*
 * A member has no storage class.
 * @@needs: nothing
 */
struct s { self int x; };
BEGIN { }

/*
 * Members of an anonymous struct share their owner's names.
 * @@needs: nothing
 */
struct s { int a; struct { int a; }; };
BEGIN { }

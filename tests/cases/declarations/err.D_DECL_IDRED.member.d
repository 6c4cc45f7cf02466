/*
 * A struct has one member of a name.
 * @@needs: nothing
 */
struct s { int a; int a; };
BEGIN { }

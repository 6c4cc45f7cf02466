/*
 * A struct is declared once.
 * @@needs: nothing
 */
struct s { int a; };
struct s { int b; };
BEGIN { }

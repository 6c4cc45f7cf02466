/*
 * Members of type string hold strings of a translation, and print() shows them.
 * @@args: -q
 */
struct s { int a; string name; char b[4]; };
translator struct s < int n > { a = n; name = "hello"; b = "wxyz"; };
BEGIN { print(xlate <struct s> (5)); exit(0); }

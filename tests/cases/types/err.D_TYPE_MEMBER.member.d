/*
 * A struct has the members it has.
 */
struct s { int a; };
BEGIN
{
	x = ((struct s *)arg0)->b;
}

/*
 * stringof wants text.
 */
struct s { int a; };
BEGIN
{
	x = stringof(*(struct s *)arg0);
}

/*
 * An array member has a bound.
 */
struct s { int a[]; int b; };
BEGIN
{
	trace(1);
}

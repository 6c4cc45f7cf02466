/*
 * A bit-field fits its type.
 */
struct s { int a : 40; };
BEGIN
{
	trace(1);
}

/*
 * A variable's struct is known.
 */
struct nosuch x;
BEGIN
{
	trace(1);
}

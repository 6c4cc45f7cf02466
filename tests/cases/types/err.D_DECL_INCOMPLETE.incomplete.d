/*
 * A variable needs a struct that is defined.
 */
struct nosuch x;
BEGIN
{
	trace(1);
}

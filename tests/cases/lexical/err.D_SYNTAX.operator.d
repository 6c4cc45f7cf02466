/*
 * An operator needs operands.
 */
BEGIN
{
	x = 1 +;
}

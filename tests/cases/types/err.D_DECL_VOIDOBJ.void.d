/*
 * A variable has a type.
 */
void x;
BEGIN
{
	trace(1);
}

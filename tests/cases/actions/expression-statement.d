/*
 * An expression statement records nothing.
 */
BEGIN
{
	x = 1;
	1 + 2;
	trace(x);
	exit(0);
}

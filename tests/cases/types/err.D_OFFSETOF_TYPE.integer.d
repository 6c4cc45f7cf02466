/*
 * offsetof wants a struct.
 */
BEGIN
{
	x = offsetof(int, a);
}

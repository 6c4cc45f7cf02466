/*
 * * wants to know the type.
 */
BEGIN
{
	x = *(void *)arg0;
}

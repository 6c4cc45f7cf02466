/*
 * & wants something with an address.
 */
BEGIN
{
	x = &1;
}

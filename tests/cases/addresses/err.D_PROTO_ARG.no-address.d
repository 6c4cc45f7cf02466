/*
 * What is named is an address.
 * @@needs: nothing
 */
BEGIN
{
	usym(execname);
}

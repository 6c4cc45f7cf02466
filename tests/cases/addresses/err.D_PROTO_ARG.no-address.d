/*
 * usym() takes an address.
 * @@needs: nothing
 */
BEGIN
{
	usym(execname);
}

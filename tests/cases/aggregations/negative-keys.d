/*
 * Integer keys sort as signed numbers.
 * @@args: -q
 */
BEGIN
{
	@[-1] = count();
	@[1] = count();
	@[-20] = count();
	@[0] = count();
	exit(0);
}

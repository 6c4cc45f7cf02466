/*
 * A symbol is of one address.
 * @@needs: nothing
 */
BEGIN
{
	@[umod()] = count();
}

/*
 * The key has as many components as its first use.
 */
BEGIN
{
	@[1] = count();
	@[1, 2] = count();
}

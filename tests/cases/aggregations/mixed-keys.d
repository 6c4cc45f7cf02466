/*
 * Keys of mixed types print in order; equal values are sorted by key.
 * @@args: -q
 */
BEGIN
{
	@["b", 1] = count();
	@["a", 2] = count();
	@["a", 1] = count();
	@["b", 0] = count();
	exit(0);
}

/*
 * A key may have more components than the machine has registers.
 * @@args: -q
 */
BEGIN
{
	@[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = count();
	exit(0);
}

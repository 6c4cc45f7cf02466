/*
 * Integer keys take columns by their size.
 * @@args: -q
 */
BEGIN
{
	@[1, (int64_t)2, (short)3, (char)4] = count();
	exit(0);
}

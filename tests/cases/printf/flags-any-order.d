/*
 * Flags, @, ? and the width stand in any order; ? is the width of a pointer.
 * @@args: -q
 */
BEGIN
{
	printf("[%?x] [%-?x] [%?-p] [%0?x] [%8-d] [%?d]\n", 1, 2, 3, 4, 5, 6);
	@["key"] = sum(42);
	printa("[%8@d] [%-8@d] [%@8d] [%08@d] [%8@-x] %s\n", @);
	exit(0);
}

/*
 * Zero has no prefix in base 8: "0" is its octal already.
 * @@args: -q
 */
BEGIN
{
	printf("%s %s %s %s %s\n", lltostr(0, 8), lltostr(8, 8), lltostr(0, 16),
	    lltostr(0), lltostr(0, 2));
	exit(0);
}

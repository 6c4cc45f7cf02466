/*
 * strtoll reads a number up to what is no digit, in any base to 36.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d\n", strtoll("42"), strtoll("-42"), strtoll("+42"));
	printf("%d %d\n", strtoll(" \t42x"), strtoll("x42"));
	printf("%d %d %d\n", strtoll(""), strtoll(NULL), strtoll("-"));
	printf("%d %d\n", strtoll("0x1f", 16), strtoll("-0X1F", 16));
	printf("%d %d\n", strtoll("0x1f"), strtoll("ff", 16));
	printf("%d %d %d\n", strtoll("777", 8), strtoll("101", 2),
	    strtoll("zz", 36));
	printf("%d\n", strtoll("9223372036854775807"));
	printf("%d\n", strtoll("-9223372036854775808"));
	printf("%d\n", strtoll(lltostr(-1234567890123)));
	exit(0);
}

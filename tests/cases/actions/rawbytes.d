/*
 * rawbytes makes a hex dump of text, too.
 * @@args: -q -x rawbytes -x strsize=8
 */
BEGIN
{
	trace("ab");
	exit(0);
}

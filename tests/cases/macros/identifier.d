/*
 * An argument may be an identifier: here a built-in.
 * @@args: -q
 * @@operands: probename
 */
BEGIN
{
	printf("%s\n", $1);
	exit(0);
}

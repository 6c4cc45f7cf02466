/*
 * An argument in double quotes is a string.
 * @@args: -q
 * @@operands: '"text"'
 */
BEGIN
{
	printf("%s\n", $1);
	exit(0);
}

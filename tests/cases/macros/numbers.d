/*
 * $1 and its fellows are integers, in any notation.
 * @@args: -q
 * @@operands: 12 0xff 010
 */
BEGIN
{
	printf("%d %d %d\n", $1, $2, $3 + 1);
	exit(0);
}

/*
 * With argref unused arguments are fine.
 * @@args: -q -x argref
 * @@operands: 1 2 3
 */
BEGIN
{
	printf("%d\n", $1);
	exit(0);
}

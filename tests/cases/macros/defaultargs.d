/*
 * With defaultargs a missing argument is 0 or the empty string.
 * @@args: -q
 * @@operands: 7
 */
#pragma D option defaultargs

BEGIN
{
	printf("%d [%s] %d\n", $1, $$2, $3 + 5);
	exit(0);
}

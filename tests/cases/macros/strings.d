/*
 * $$1 is always a string.
 * @@args: -q
 * @@operands: 12 'a b'
 */
BEGIN
{
	printf("%s %s %d\n", $$1, $$2, strlen($$2));
	exit(0);
}

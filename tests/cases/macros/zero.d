/*
 * $0 is the script's name.
 * @@args: -q
 */
BEGIN
{
	printf("%s\n", basename($$0));
	exit(0);
}

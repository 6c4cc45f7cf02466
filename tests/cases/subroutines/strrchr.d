/*
 * strrchr gives the rest from the last such character.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", strrchr("banana", 'n'));
	printf("[%s]\n", strrchr("banana", 'a'));
	printf("[%s]\n", strrchr("banana", 'b'));
	exit(0);
}

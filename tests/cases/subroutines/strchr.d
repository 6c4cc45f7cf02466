/*
 * strchr gives the rest from the first such character.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", strchr("banana", 'n'));
	printf("[%s]\n", strchr("banana", 'b'));
	printf("[%s]\n", strchr("banana", 'a'));
	exit(0);
}

/*
 * %C prints a character or its escape.
 * @@args: -q
 */
BEGIN
{
	printf("[%C]\n", 'A');
	printf("[%C]\n", '\n');
	printf("[%C]\n", '\t');
	printf("[%C]\n", '\0');
	exit(0);
}

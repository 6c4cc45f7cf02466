/*
 * %c prints a character.
 * @@args: -q
 */
BEGIN
{
	printf("[%c]\n", 'A');
	printf("[%c%c]\n", 72, 105);
	printf("[%3c]\n", 'x');
	printf("[%-3c]\n", 'x');
	exit(0);
}

/*
 * The ' flag is accepted; in the C locale it groups nothing.
 * @@args: -q
 */
BEGIN
{
	printf("[%'d]\n", 1234567);
	exit(0);
}

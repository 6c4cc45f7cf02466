/*
 * printf() needs no arguments; %% is a percent sign.
 * @@args: -q
 */
BEGIN
{
	printf("100%%\n");
	printf("plain");
	printf("\n");
	exit(0);
}

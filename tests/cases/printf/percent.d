/*
 * %% is a percent sign.
 * @@args: -q
 */
BEGIN
{
	printf("[%%]\n");
	printf("[%d%%]\n", 50);
	printf("[%%d]\n");
	exit(0);
}

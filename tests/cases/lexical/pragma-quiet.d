/*
 * #pragma D option sets options.
 */
#pragma D option quiet
#pragma D option strsize=8

BEGIN
{
	s = "0123456789";
	printf("%s\n", s);
	exit(0);
}

/*
 * #pragma D option destructive permits as -w does.
 * @@args: -q
 */
#pragma D option destructive

BEGIN
{
	system("echo done");
	exit(0);
}

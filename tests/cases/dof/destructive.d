/*
 * Permission for destructive actions is asked anew when a program is run.
 */
BEGIN
{
	trace(1);
}

BEGIN
{
	system("echo done");
	exit(0);
}

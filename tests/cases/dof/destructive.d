/*
 * What a saved program may do is asked again when it is run.
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

/*
 * Short sleeps add up, killed processes are shown, and files have names.
 * @@needs: cmd:bash cmd:python3
 */
BEGIN
{
	exit(0);
}

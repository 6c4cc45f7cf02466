/*
 * The tool ooms names the process that the kernel kills, and who wanted memory.
 * @@needs: cmd:bash cmd:python3
 */
BEGIN
{
	exit(0);
}

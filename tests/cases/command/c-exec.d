/*
 * With evaltime=exec the command is seen from its first instruction.
 * @@needs: prog:known
 */
int seen;

syscall:::entry
/pid == $target && !seen/
{
	seen = 1;
	printf("%s\n", probefunc);
}

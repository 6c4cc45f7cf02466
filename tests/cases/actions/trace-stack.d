/*
 * stack() may be a statement beside others.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("<");
	stack(1);
	printf(">\n");
}

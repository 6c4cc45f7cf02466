/*
 * %k prints a stack.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("<%k>\n", stack(1));
}

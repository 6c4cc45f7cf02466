/*
 * jstack() leads through code that was made at run time, and knows its names
 * from the process's perf map.
 * @@needs: prog:jit
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d", pid);
	jstack(6);
}

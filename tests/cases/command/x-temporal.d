/*
 * temporal merges the records of all CPUs by time, which is the default.
 * @@needs: prog:burst
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d\n", timestamp);
}

/*
 * Records of two CPUs are merged by time.
 * @@needs: prog:burst
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d\n", timestamp);
}

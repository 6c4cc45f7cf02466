/*
 * stop() stops the process on its way out of the kernel, until it is continued.
 * @@args: -q -w
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3
 */
syscall::getpriority:entry
/pid == $target && arg1 == 1/
{
	stop();
	system("until grep -q State:.T /proc/%d/status; do sleep 0.01; done; echo stopped; kill -CONT %d", pid, pid);
}

syscall::getpriority:entry
/pid == $target && arg1 == 2/
{
	printf("continued\n");
}

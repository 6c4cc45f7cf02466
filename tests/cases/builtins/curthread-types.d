/*
 * curthread is the structure of the thread that the probe fired in.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known threads
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d %s\n", curthread->pid == tid, curthread->tgid == pid,
	    stringof(curthread->comm));
}

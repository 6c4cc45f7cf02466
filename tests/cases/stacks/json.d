/*
 * As JSON, a user stack has its process and the address of each frame.
 * @@needs: prog:chain_fp
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(pid);
	trace(ucaller);
	ustack(2);
}

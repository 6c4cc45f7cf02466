/*
 * As JSON, an address is a frame, with the process that it is of.
 * @@needs: prog:syms
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(pid);
	uaddr(arg1);
	trace(usym(arg1));
	umod(arg1);
	sym((uintptr_t)&`vfs_read + 1);
	@[usym(arg1), arg1 - 4] = count();
	exit(0);
}

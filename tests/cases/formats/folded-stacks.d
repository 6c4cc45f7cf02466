/*
 * The frames of the program come before those of the kernel, each from the root
 * to the leaf and without offsets.
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[execname, stack(), ustack(), 7] = count();
}

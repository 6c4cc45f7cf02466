/*
 * Frames have the names of the program's functions, also when it has ended.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	ustack();
	@[ustack(2)] = count();
}

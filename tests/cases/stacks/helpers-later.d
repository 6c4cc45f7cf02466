/*
 * The program starts while we trace: from its second stack on, at most some
 * hundredth of a second later, its frames have names.
 * @@needs: prog:helped
 */
syscall::getppid:entry
/execname == "helped"/
{
	@[jstack(6)] = count();
}

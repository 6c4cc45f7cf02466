/*
 * The program starts while we trace: soon, at most some hundredths of a second
 * later, its frames have names.
 * @@needs: prog:helped
 */
syscall::getppid:entry
/execname == "helped"/
{
	@[jstack(6)] = count();
}

tick-100ms
{
	printa(@);
}

/*
 * A library brings the helper and is loaded while we trace: soon after, frames
 * of the process have names.
 * @@needs: prog:helped
 */
syscall::getppid:entry
/execname == "program"/
{
	@[jstack(6)] = count();
}

tick-100ms
{
	printa(@);
}

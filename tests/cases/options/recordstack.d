/*
 * Options recordstack and recordustack: a recording of firings has stacks of
 * the kernel and of processes, of as many frames as are asked for.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/execname == "known"/
{
	@u[usym(ucaller)] = count();
	@k[mod(caller)] = count();
}

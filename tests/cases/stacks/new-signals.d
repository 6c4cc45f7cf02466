/*
 * Stacks in a new file lead through signal handlers, onto a stack of their own,
 * too, when dtrace has to finish them.
 * @@needs: prog:frames
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newsignals"/
{
	ustack();
}

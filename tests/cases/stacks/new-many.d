/*
 * While dtrace does not get to run, 256 stacks that lead into new files wait to
 * be finished.  Those that come then say that they are not whole.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newmany"/
{
	ustack();
}

/*
 * If a stack leads into a file that is gone when dtrace looks, with its
 * process, the output says so; also if more is needed than the copy has.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newgone"/
{
	ustack(5000);
}

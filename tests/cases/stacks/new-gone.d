/*
 * A stack that leads into a file which is gone when dtrace looks, as its process
 * is, says so; and so does one of which more than the copy is wanted.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newgone"/
{
	ustack(5000);
}

/*
 * The first firing in a program that nobody had mapped before has its whole
 * stack, though it keeps no frame pointers and is gone before dtrace looks: as
 * an action, with names, and as a key.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newfile"/
{
	ustack();
	jstack();
	@[ustack()] = count();
}

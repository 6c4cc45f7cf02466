/*
 * Another program in place of one that dtrace knows, in the same file, of the
 * same size and written within the same second, is another one.  And when it
 * has taken its place before dtrace looks, that is said.
 * @@needs: prog:chain prog:chain_fp
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newcontents"/
{
	ustack();
	printf("done\n");
}

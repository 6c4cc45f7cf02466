/*
 * A program that takes the place of a known one, in the same file, of the same
 * size and written within the same second, is another one.  And if it has done
 * so before dtrace looks, that is said.
 * @@needs: prog:chain prog:chain_fp
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newcontents"/
{
	ustack();
	printf("done\n");
}

/*
 * An aggregation that has no room counts its drops.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[arg1] = count();
}

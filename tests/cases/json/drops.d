/*
 * Drops are objects, and account for what is missing.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[arg1] = count();
}

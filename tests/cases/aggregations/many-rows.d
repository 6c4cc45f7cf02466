/*
 * Thousands of keys are all there, sorted.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[arg1] = sum(arg1);
}

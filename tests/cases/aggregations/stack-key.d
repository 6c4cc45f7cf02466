/*
 * stack() is a key like any other.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[stack(1)] = count();
}

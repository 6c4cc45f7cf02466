/*
 * The heading is printed once; each firing has its line.
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(arg1);
}

/*
 * CPU, id and name take 3, 6 and 32 columns.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(arg1);
}

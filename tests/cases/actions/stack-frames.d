/*
 * stackframes is the default number of frames.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	stack();
}

/*
 * caller is the second frame of the stack, and stackdepth the number of frames.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	stack();
	printf("depth %d\ncaller %a\n", stackdepth, caller);
}

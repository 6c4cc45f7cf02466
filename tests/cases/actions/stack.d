/*
 * stack(n) prints at most n kernel frames, indented by 14.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	stack(2);
}

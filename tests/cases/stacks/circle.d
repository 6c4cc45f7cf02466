/*
 * A stack that goes in a circle is a fault, and its address the stack pointer.
 * @@needs: prog:circle
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	ustack();
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(ustackdepth);
}

ERROR
{
	printf("fault %d, action %d, offset %d, a value: %d\n", arg4, arg2, arg3,
	    arg5 != 0);
}

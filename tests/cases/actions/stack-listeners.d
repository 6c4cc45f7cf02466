/*
 * A stack in a system call has none of the tracer's own frames, also when
 * another listens to the same tracepoint.
 * @@needs: prog:known
 */
syscall::getpriority:entry,
syscall::getpriority:return
/pid == $target/
{
	stack();
}

/*
 * A raw tracepoint has the same arguments as the event of its name; arguments
 * that it lacks are 0.
 * @@args: -q
 * @@needs: root prog:forks
 * @@run: $PROGS/forks 1
 */
rawtp:task::task_newtask
/pid == $target/
{
	self->task = args[0];
	self->flags = args[1];
	printf("%s %s %d\n", probeprov, probename, arg2);
}

sdt:task::task_newtask
/pid == $target/
{
	printf("%s %d %d\n", probeprov, arg0 == (uintptr_t)self->task,
	    arg1 == self->flags);
}

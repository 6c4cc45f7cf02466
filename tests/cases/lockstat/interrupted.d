/*
 * A signal ends the wait for a mutex: an error, EINTR.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel interrupted
 */
int errors;

syscall::ptrace:entry
/pid == $target/
{
	self->on = 1;
}

lockstat:::adaptive-acquire-error
/self->on && !errors++/
{
	printf("%d\n", args[1] == EINTR);
}

/*
 * Variables that a library keeps are there for its clauses, also when there are
 * so many that each has a program of its own.
 * @@needs: prog:kernel faults
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

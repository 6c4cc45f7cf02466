/*
 * A thread waits for a lock of readers and writers, a directory's, to read.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel readers
 */
self int on;
self uint64_t start;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
	self->start = timestamp;
}

lockstat:::rw-block
/self->on/
{
	@[probename, args[2] == RW_WRITER, args[2] == RW_READER,
	    args[1] > 0 && args[1] < timestamp - self->start] = count();
}

END
{
	printa("%s %d %d %d: %@d\n", @);
}

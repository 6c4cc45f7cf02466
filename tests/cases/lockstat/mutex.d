/*
 * A thread waits for a mutex, that of a file's position, while another writes:
 * as long as its call takes, nearly.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel mutex
 */
self struct mutex *lock;

syscall::lseek:entry
/pid == $target/
{
	self->lock = &getf(arg0)->f_pos_lock;
	self->start = timestamp;
}

lockstat:::adaptive-block, lockstat:::rw-block
/arg0 == (uintptr_t)self->lock/
{
	@[probename] = count();
	self->ns = arg1;
}

syscall::lseek:return
/self->start/
{
	@times["blocked"] = sum(self->ns > 0 &&
	    self->ns < timestamp - self->start);
	self->lock = NULL;
}

END
{
	printa("%s %@d\n", @);
	printa("%s %@d\n", @times);
}

/*
 * Two threads want the same locks all the time: a spinlock, that of an eventfd,
 * a mutex, that of a file's position, and the kernel's tasklist_lock, to write,
 * until they have been in each other's way at each.
 * @@args: -q
 * @@needs: prog:kernel cpus:2
 * @@run: $PROGS/kernel hammered 20000
 */
self uintptr_t lock;

syscall::write:entry
/pid == $target/
{
	self->lock = (uintptr_t)
	    &((struct eventfd_ctx *)getf(arg0)->private_data)->wqh.lock;
}

syscall::lseek:entry
/pid == $target/
{
	self->lock = (uintptr_t)&getf(arg0)->f_pos_lock;
}

syscall::write:return, syscall::lseek:return
{
	self->lock = 0;
}

lockstat:::spin-spin
/arg0 == self->lock && arg1 > 0 && arg1 < 1000000000/
{
	spin = 1;
}

lockstat:::adaptive-spin
/arg0 == self->lock && arg1 > 0 && arg1 < 1000000000/
{
	adaptive = 1;
}

lockstat:::rw-spin
/pid == $target && args[1] > 0 && args[1] < 1000000000 && args[2] == RW_WRITER/
{
	rw = 1;
}

syscall::lseek:return
/spin && adaptive && rw/
{
	exit(0);
}

END
{
	printf("%d %d %d\n", spin, adaptive, rw);
}

/*
 * Two threads want the same spinlock all the time, that of an eventfd, until
 * they have been in each other's way.  The probe fires as often as the kernel's
 * waits for spinlocks end.  Of one thread that waits alone only a guest with
 * paravirtual spinlocks tells.
 * @@needs: prog:kernel cpus:2
 */
self uintptr_t lock;
self int began[uintptr_t];

BEGIN
{
	done = 0;
	late = 0;
	told = 0;
	@balance = sum(0);
}

syscall::write:entry
/pid == $target && !done/
{
	self->lock = (uintptr_t)
	    &((struct eventfd_ctx *)getf(arg0)->private_data)->wqh.lock;
}

lockstat:::spin-spin
/self->lock != 0/
{
	@balance = sum(-1);
}

lockstat:::spin-spin
/arg0 == self->lock && arg1 > 0 && arg1 < 1000000000/
{
	spun = 1;
}

/* The kernel's own account. */
sdt:lock::contention_begin
/self->lock != 0 && args[1] == 1/
{
	told += (uintptr_t)args[0] == self->lock;
	self->began[(uintptr_t)args[0]] = 1;
}

sdt:lock::contention_end
/self->began[(uintptr_t)args[0]]/
{
	self->began[(uintptr_t)args[0]] = 0;
	@balance = sum(1);
}

/* Once no thread counts. */
syscall::write:return
{
	self->lock = 0;
	done = spun;
}

tick-500ms
/done && ++late == 3/
{
	exit(0);
}

END
{
	printf("%d %d\n", told > 0, spun);
	printa("%@d\n", @balance);
}

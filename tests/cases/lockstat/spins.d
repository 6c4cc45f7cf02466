/*
 * Two threads want the same locks all the time: a mutex, that of a file's
 * position, and the kernel's tasklist_lock, to write and to read, until they
 * have been in each other's way at each.  Each probe fires as often as the
 * kernel's waits of that kind end.
 * @@needs: prog:kernel cpus2
 */
self uintptr_t lock;
self int counts;
self unsigned int began[uintptr_t];

BEGIN
{
	done = 0;
	late = 0;
	@balance["adaptive-spin"] = sum(0);
	@balance["rw-spin to write"] = sum(0);
	@balance["rw-spin to read"] = sum(0);
}

syscall::lseek:entry
/pid == $target/
{
	self->counts = !done;
	self->lock = (uintptr_t)&getf(arg0)->f_pos_lock;
}

syscall::setpgid:entry, syscall::kill:entry
/pid == $target/
{
	self->counts = !done;
}

syscall::lseek:return
{
	self->lock = 0;
}

syscall:::return
/self->counts/
{
	self->counts = 0;
}

lockstat:::adaptive-spin
/self->counts/
{
	@balance[probename] = sum(-1);
}

lockstat:::adaptive-spin
/arg0 == self->lock && arg1 > 0 && arg1 < 1000000000/
{
	adaptive = 1;
}

lockstat:::rw-spin
/self->counts/
{
	@balance[args[2] == RW_READER ? "rw-spin to read" :
	    "rw-spin to write"] = sum(-1);
}

lockstat:::rw-spin
/pid == $target && args[1] > 0 && args[1] < 1000000000 && args[2] == RW_WRITER/
{
	writes = 1;
}

lockstat:::rw-spin
/pid == $target && args[1] > 0 && args[1] < 1000000000 && args[2] == RW_READER/
{
	reads = 1;
}

/* The kernel's own account: a mutex that was blocked for was not spun for. */
sdt:lock::contention_begin
/self->counts && args[1] != 1 && self->began[(uintptr_t)args[0]] != 32/
{
	self->began[(uintptr_t)args[0]] = args[1];
}

sdt:lock::contention_end
/self->counts && (self->began[(uintptr_t)args[0]] & 1) != 0 &&
    (args[1] == 0 || self->began[(uintptr_t)args[0]] != 33)/
{
	@balance[self->began[(uintptr_t)args[0]] == 33 ? "adaptive-spin" :
	    self->began[(uintptr_t)args[0]] == 3 ? "rw-spin to read" :
	    "rw-spin to write"] = sum(1);
}

sdt:lock::contention_end
/self->counts/
{
	self->began[(uintptr_t)args[0]] = 0;
}

/* Once no thread counts. */
syscall::lseek:return
/adaptive && writes && reads/
{
	done = 1;
}

tick-500ms
/done && ++late == 3/
{
	exit(0);
}

END
{
	printf("%d %d %d\n", adaptive, writes, reads);
	printa("%s %@d\n", @balance);
}

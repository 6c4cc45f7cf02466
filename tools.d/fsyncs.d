#!/usr/sbin/dtrace -s
/*
 * fsyncs [PROGRAM]: how long programs wait until their writes are on the disk
 *
 * PROGRAM selects those of that name.  Calls: fsync, fdatasync, syncfs, sync,
 * msync.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::fsync:entry,
syscall::fdatasync:entry,
syscall::syncfs:entry,
syscall::sync:entry,
syscall::msync:entry
/$$1 == "" || execname == $$1/
{
	self->start = timestamp;
}

syscall::fsync:return,
syscall::fdatasync:return,
syscall::syncfs:return,
syscall::sync:return,
syscall::msync:return
/self->start/
{
	@[execname, probefunc] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
}

END
{
	printa("%s, %s (us)%@d\n", @);
}

#!/usr/sbin/dtrace -s
/*
 * memgrowth [PROGRAM]: memory that programs map and give back, in kilobytes
 *
 * PROGRAM selects those of that name.  MAPPED is anonymous memory by mmap(2),
 * UNMAPPED what munmap(2) gives back, of files, too.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::mmap:entry
/(arg3 & 0x20) && ($$1 == "" || execname == $$1)/
{
	self->size = arg1;
}

syscall::mmap:return
/self->size && errno == 0/
{
	@mapped[execname, pid] = sum(self->size);
}

syscall::munmap:entry
/$$1 == "" || execname == $$1/
{
	self->size = arg1;
}

syscall::munmap:return
/self->size && errno == 0/
{
	@unmapped[execname, pid] = sum(self->size);
}

syscall::mmap:return,
syscall::munmap:return
{
	self->size = 0;
}

END
{
	normalize(@mapped, 1024);
	normalize(@unmapped, 1024);
	printf("%-16s %8s %12s %12s\n", "PROGRAM", "PID", "MAPPED KB",
	    "UNMAPPED KB");
	printa("%-16s %8d %@12d %@12d\n", @mapped, @unmapped);
}

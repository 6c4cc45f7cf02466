#!/usr/sbin/dtrace -s
/*
 * fdleaks: descriptors that a process opened and has not closed
 *
 * The program is named with -p PID or -c COMMAND.
 * OPEN is how many descriptors of the file were opened and not closed.  Files
 * whose descriptors were all closed are not shown.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option aggnonzero

syscall::open:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
/pid == $target/
{
	self->path = arg1;
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/self->path && errno == 0/
{
	@[copyinstr(self->path)] = sum(1);
	path[(int)arg1] = copyinstr(self->path);
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
{
	self->path = 0;
}

syscall::close:entry
/pid == $target && path[(int)arg0] != ""/
{
	@[path[(int)arg0]] = sum(-1);
	path[(int)arg0] = "";
}

END
{
	printf("%-60s %8s\n", "FILE", "OPEN");
	printa("%-60s %@8d\n", @);
}

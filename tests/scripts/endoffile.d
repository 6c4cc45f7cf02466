#!/usr/sbin/dtrace -s
/*
 * endoffile.d: reads that met the end of a file, by file.
 *
 * @@load: sh for i in 1 2 3 4; do seq 1 2000 >f$i; cat f$i; done
 * @@truth: strace
 * @@check: [n(f"{os.getcwd()}/f{i}") for i in (1, 2, 3, 4)] == [1] * 4
 * @@check: strace.seen(r"^read\(\d+, \"\", \d+\) += 0") >= 4
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::read:entry
/execname == "cat"/
{
	self->fd = arg0 + 1;
}

syscall::read:return
/self->fd && arg1 == 0/
{
	@[fds[self->fd - 1].fi_pathname] = count();
}

syscall::read:return
/self->fd/
{
	self->fd = 0;
}

END
{
	printa("%-60s %@4d\n", @);
}

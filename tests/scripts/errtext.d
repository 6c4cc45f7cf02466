#!/usr/sbin/dtrace -s
/*
 * errtext.d: errors of system calls with their names, out of a table that the
 * script fills when it begins.
 *
 * @@load: toil errors 30
 * @@truth: strace
 * @@check: all(n(name) == number for name, number in strace.errors.items())
 * @@check: n("ENOENT") == 30 and n("EBADF") == 30
 */

#pragma D option quiet

string err[int];

dtrace:::BEGIN
{
	err[0]		= "Success";
	err[ENOENT]	= "ENOENT";
	err[EINTR]	= "EINTR";
	err[EIO]	= "EIO";
	err[EBADF]	= "EBADF";
	err[EAGAIN]	= "EAGAIN";
	err[EACCES]	= "EACCES";
	err[EEXIST]	= "EEXIST";
	err[EINVAL]	= "EINVAL";
	err[ENOTTY]	= "ENOTTY";

	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall:::return
/execname == "toil" && (int)arg0 == -1 && errno != 0/
{
	this->name = err[errno] != NULL ? err[errno] : lltostr(errno);
	@[this->name] = count();
}

dtrace:::END
{
	printa("%-12s %@d\n", @);
}

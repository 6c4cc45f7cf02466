#!/usr/sbin/dtrace -s
/*
 * openflags.d: how files are opened: to read, to write, to be made.
 *
 * @@load: toil renames 33
 * @@truth: strace
 * @@check: n("toil", "create") == strace.seen(r"^openat.*O_CREAT") == 34
 * @@check: n("toil", "write") == strace.seen(r"^openat.*O_WRONLY")
 * @@check: n("toil", "read") == strace.seen(r"^openat.*O_RDONLY")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::openat:entry
/execname == "toil"/
{
	this->how = (arg2 & O_ACCMODE) == O_RDONLY ? "read" :
	    (arg2 & O_ACCMODE) == O_WRONLY ? "write" : "both";
	@[execname, this->how] = count();
}

syscall::openat:entry
/execname == "toil" && arg2 & O_CREAT/
{
	@[execname, "create"] = count();
}

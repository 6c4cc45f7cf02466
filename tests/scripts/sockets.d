#!/usr/sbin/dtrace -s
/*
 * sockets.d: system calls of the network, by program; accepted connections.
 *
 * @@load: toil tcp 10 64
 * @@truth: strace
 * @@check: n("toil", "accept") == strace.calls["accept"] == 10
 * @@check: n("toil", "connect") == strace.calls["connect"] and n("toil", "socket") == strace.calls["socket"]
 * @@check: n("family", 2) == strace.seen(r"^socket\(AF_INET,")
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::accept*:return,
syscall::connect:return,
syscall::socket:return
/execname == "toil" && errno == 0/
{
	@[execname, probefunc] = count();
}

syscall::socket:entry
/execname == "toil"/
{
	@f["family", arg0] = count();
}

#!/usr/sbin/dtrace -s
/*
 * udpwho.d: who sends and gets datagrams, by program and system call.
 *
 * @@load: toil udp 17 128
 * @@truth: strace snmp
 * @@check: n("toil", "sendto") == strace.calls["sendto"] == load["snmp"]["Udp"]["OutDatagrams"]
 * @@check: n("toil", "recvfrom") == strace.calls["recvfrom"] and n("bytes", "sendto") == strace.bytes["sendto"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::send*:entry,
syscall::recv*:entry
/execname == "toil" && fds[arg0].fi_fs == "sockfs"/
{
	self->sock = 1;
}

syscall::send*:return,
syscall::recv*:return
/self->sock/
{
	@[execname, probefunc] = count();
	@b["bytes", probefunc] = sum((int)arg1 > 0 ? arg1 : 0);
	self->sock = 0;
}

#!/usr/sbin/dtrace -s
/*
 * futexes.d: calls that wait for locks of programs, and those that wake.
 *
 * @@load: toil mutex 20 3
 * @@truth: strace
 * @@check: n("wait") == strace.seen(r"^futex\(.*FUTEX_WAIT") and n("wake") == strace.seen(r"^futex\(.*FUTEX_WAKE")
 * @@check: n("wait") + n("wake") > 0
 */

#pragma D option quiet

inline int FUTEX_CMD = 0x7f;

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::futex:entry
/execname == "toil"/
{
	this->op = arg1 & FUTEX_CMD;
	@[this->op == 0 || this->op == 9 ? "wait" :
	    this->op == 1 || this->op == 10 ? "wake" : "other"] = count();
}

#!/usr/sbin/dtrace -s
/*
 * waiting.d: what waiting for children gave: their ids are those that were
 * made.
 *
 * @@load: toil forks 13
 * @@truth: strace
 * @@check: n("waited") == strace.calls["wait4"] - strace.failed["wait4"] == 13
 * @@check: n("strangers") == 0 and n("sum") == sum(int(l.split("= ")[-1]) for l in strace.lines if l.startswith("wait4("))
 */

#pragma D option quiet

dtrace:::BEGIN
{
	strangers = 0;
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::clone:return, syscall::fork:return, syscall::vfork:return
/execname == "toil" && (int)arg0 > 0/
{
	mine[(int)arg0] = pid;
}

syscall::wait4:return, syscall::waitid:return
/execname == "toil" && (int)arg0 > 0/
{
	@w["waited"] = count();
	@s["sum"] = sum(arg0);
	strangers += mine[(int)arg0] == pid ? 0 : 1;
}

dtrace:::END
{
	printf("strangers %d\n", strangers);
}

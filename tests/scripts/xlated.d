#!/usr/sbin/dtrace -s
/*
 * xlated.d: a record of the script's own, translated from the thread's.
 *
 * @@load: toil execs 7
 * @@truth: load
 * @@check: n("toil", load["pid"]) == 7 and n("total") == 7
 */

#pragma D option quiet

struct whoinfo {
	string w_name;
	int w_pid;
	int w_parent;
};

translator struct whoinfo < struct task_struct *T > {
	w_name = stringof(T->comm);
	w_pid = T->tgid;
	w_parent = T->real_parent->tgid;
};

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::exec-success
/xlate <struct whoinfo> (curthread).w_name == "toil" && ppid != 0/
{
	this->w = xlate <struct whoinfo *> (curthread);
	@[this->w->w_name, this->w->w_parent] = count();
}

proc:::exec-success
/execname == "toil" && curpsinfo->pr_ppid == ppid &&
    strstr(curpsinfo->pr_psargs, "quiet") != NULL/
{
	@t["total"] = count();
}

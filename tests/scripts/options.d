#!/usr/sbin/dtrace -s
/*
 * options.d [failed] [name]: opens, with an option for those that failed alone
 * and one for a program; what is not given is 0 and "".
 *
 * @@load: toil missing 21
 * @@operands: 1
 * @@truth: load
 * @@check: count(r"toil +-1 +2 /nonexistent/file") == load["done"]
 * @@check: count(r" here$|report") == 0
 */

#pragma D option quiet
#pragma D option defaultargs

inline int OPT_failed = $1;
inline int OPT_filter = $$2 != "";
inline string FILTER = $$2;

dtrace:::BEGIN
{
	OPT_failed ? printf("Tracing failed opens...\n") :
	    printf("Tracing opens...\n");
	OPT_filter ? printf("of %s\n", FILTER) : 1;
}

syscall::openat:entry
/(OPT_filter == 0 || execname == FILTER)/
{
	self->file = arg1;
}

syscall::openat:return
/self->file && (OPT_failed == 0 || (int)arg0 < 0)/
{
	printf("%-16s %3d %3d %s\n", execname, (int)arg0, errno,
	    copyinstr(self->file));
}

syscall::openat:return
/self->file/
{
	self->file = 0;
}

#!/usr/sbin/dtrace -s
/*
 * fmt-trace-values.d: with -q, trace() writes numbers and texts as they are,
 * without spaces.
 *
 * @@load: prog known seq:4 str
 * @@truth: output
 * @@check: lines[0] == "".join(str(i * i) for i in range(4)) +
 *     "/nonexistent/known path"
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	trace(arg1 * arg1);
}

syscall::access:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::access:return
/self->path/
{
	trace(copyinstr(self->path));
}

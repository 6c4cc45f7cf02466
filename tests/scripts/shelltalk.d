#!/usr/sbin/dtrace -s
/*
 * shelltalk.d: what programs write to their standard output, as text.
 *
 * @@load: sh echo first words; echo second words; echo third 1>&2
 * @@truth: output
 * @@check: find(r"^ *\d+ +\d+ +sh +W (.*)$") == ["first words", "second words", "third"]
 * @@check: n("total") == 12 + 13 + 6
 */

#pragma D option quiet
#pragma D option strsize=64

dtrace:::BEGIN
{
	printf("%5s %5s %8s %s\n", "PID", "PPID", "CMD", "DIR TEXT");
}

syscall::write:entry
/execname == "sh" && arg0 == 1/
{
	self->buf = arg1;
}

syscall::write:return
/self->buf && (int)arg0 > 0/
{
	this->text = (char *)copyin(self->buf, arg0);
	this->text[arg0 - 1] = '\0';
	printf("%5d %5d %8s %s %s\n", pid, ppid, execname, "W",
	    stringof(this->text));
	total += arg0;
}

syscall::write:return
/self->buf/
{
	self->buf = 0;
}

dtrace:::END
{
	printf("total %d\n", total);
}

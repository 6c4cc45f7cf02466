#!/usr/sbin/dtrace -s
/*
 * opt-strsize.d: texts are as long as strsize says, and no longer: 16 of their
 * letters.
 *
 * @@load: prog known long str
 * @@truth: output
 * @@check: rows == [["x" * 16, "16"], ["/nonexistent/kno", "16"]]
 */

#pragma D option quiet
#pragma D option strsize=16

syscall::access:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::access:return
/self->path/
{
	this->s = copyinstr(self->path);
	printf("%s %d\n", this->s, strlen(this->s));
}

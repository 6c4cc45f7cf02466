#!/usr/sbin/dtrace -s
/*
 * str-long.d: texts as long as strsize lets them be, and one that is cut
 * there.
 *
 * @@load: prog known long
 * @@args: -x strsize=512
 * @@truth: output
 * @@check: rows == [[str(n)] for n in (300, 300, 310)]
 */

#pragma D option quiet

syscall::access:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::access:return
/self->path/
{
	this->s = copyinstr(self->path);
	printf("%d\n", strlen(this->s));
	printf("%d\n", strlen(stringof(this->s)));
	printf("%d\n", strlen(strjoin("0123456789", this->s)));
	exit(0);
}

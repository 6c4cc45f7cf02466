#!/usr/sbin/dtrace -s
/*
 * lang-copyinstr-index.d: the first letter of a path that a program looks for,
 * and the path without it, from copyinstr() itself.
 *
 * @@load: prog known str
 * @@truth: output
 * @@check: lines[0] == "{0[0]} {0[4]} {1} {2}".format( "/nonexistent/known
 *     path", "nonexistent/known path", len("/nonexistent/known path"))
 */

#pragma D option quiet

self uintptr_t path;

syscall::access:return
/pid == $target && self->path && copyinstr(self->path)[0] == '/' &&
    copyinstr(self->path)[1] == 'n'/
{
	this->path = copyinstr(self->path);
	printf("%c %c %s %d\n", this->path[0], copyinstr(self->path)[4],
	    stringof(this->path + 1), strlen(this->path));
}

syscall::access:entry
/pid == $target/
{
	self->path = arg0;
}

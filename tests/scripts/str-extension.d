#!/usr/sbin/dtrace -s
/*
 * str-extension.d: files by the suffix of what is looked for.
 *
 * @@load: py import os; [os.access(f"/nowhere/f{i}.{e}", 0) for i in range(3)
 *     for e in ("so", "py", "txt")]; os.access("/nowhere/none", 0)
 * @@args: -x aggsortkey
 * @@truth: output
 * @@check: rows == [["none", "1"], ["py", "3"], ["so", "3"], ["txt", "3"]]
 */

#pragma D option quiet

syscall::access:entry,
syscall::faccessat*:entry
/pid == $target/
{
	self->path = probefunc == "access" ? arg0 : arg1;
}

syscall::access:return,
syscall::faccessat*:return
/self->path && index(copyinstr(self->path), "/nowhere/") == 0/
{
	this->dot = strrchr(copyinstr(self->path), '.');
	@[this->dot == NULL ? "none" : substr(this->dot, 1)] = count();
}

syscall::access:return,
syscall::faccessat*:return
/self->path/
{
	self->path = 0;
}

END
{
	printa("%s %@d\n", @);
}

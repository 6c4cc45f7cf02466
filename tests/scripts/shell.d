#!/usr/sbin/dtrace -s
/*
 * shell.d: what a shell's script opens, by program, with files that are not
 * there marked.
 *
 * @@load: sh cat /etc/hostname /nonexistent 2>/dev/null; wc -l /etc/passwd >/dev/null
 * @@truth: strace
 * @@how: target
 * @@check: count(r"^cat +/etc/hostname$") == 1 and count(r"^cat +/nonexistent \(ENOENT\)$") == 1
 * @@check: count(r"^wc +/etc/passwd$") == strace.seen(r"^openat.*\"/etc/passwd\"") == 1
 */

#pragma D option quiet

syscall::open*:entry
/progenyof($target) && (execname == "cat" || execname == "wc")/
{
	self->p = probefunc == "open" ? arg0 : arg1;
}

syscall::open*:return
/self->p/
{
	printf("%-8s %s%s\n", execname, copyinstr(self->p),
	    errno == ENOENT ? " (ENOENT)" : errno ? " (?)" : "");
	self->p = 0;
}

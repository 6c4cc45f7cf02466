#!/usr/sbin/dtrace -s
/*
 * spec-only-failures.d: what a call was given is recorded when it begins, and
 * kept only if it fails.
 *
 * @@load: prog known good str fail good
 * @@args: -x nspec=4
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == ["access(/nonexistent/known path)
 *     2", "close(-1) 9"]
 */

#pragma D option quiet

syscall::access:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::close:entry
/pid == $target/
{
	self->spec = speculation();
	speculate(self->spec);
	printf("%s(%d)", probefunc, (int)arg0);
}

syscall::close:return
/self->spec && errno/
{
	speculate(self->spec);
	printf(" %d\n", errno);
}

syscall::close:return
/self->spec && errno/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::close:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}

syscall::access:return
/self->path && errno/
{
	printf("%s(%s) %d\n", probefunc, copyinstr(self->path), errno);
	self->path = 0;
}

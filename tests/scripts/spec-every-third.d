#!/usr/sbin/dtrace -s
/*
 * spec-every-third.d: marks are recorded in speculations; every third one is
 * kept.
 *
 * @@load: prog known seq:30
 * @@args: -x nspec=64
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == list(range(0, 30, 3))
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	self->spec = speculation();
	self->mark = arg1;
}

syscall::getpriority:entry
/self->spec/
{
	speculate(self->spec);
	printf("%d\n", arg1);
}

syscall::getpriority:return
/self->spec && self->mark % 3 == 0/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::getpriority:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}

#!/usr/sbin/dtrace -s
/*
 * lang-intervals.d: time between an entry and its return, kept in a variable
 * that was 0 at first, is below a second and not negative; one interval for
 * each call.
 *
 * @@load: prog known seq:40
 * @@truth: load
 * @@check: out.split() == ["40", "calls,", "40", "sane"]
 */

#pragma D option quiet

BEGIN
{
	calls = 0;
	sane = 0;
}

syscall::getpriority:entry
/pid == $target/
{
	self->start = 0;
	self->start = timestamp;
}

syscall::getpriority:return
/self->start/
{
	this->took = timestamp - self->start;
	calls++;
	sane += this->took >= 0 && this->took < 1000000000;
	self->start = 0;
}

END
{
	printf("%d calls, %d sane\n", calls, sane);
}

#!/usr/sbin/dtrace -s
/*
 * des-chill.d: A program that waits in a probe for a millisecond has waited
 * that long.
 *
 * @@load: prog known seq:3
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == ["3", "3"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	self->ts = timestamp;
	chill(1000000);
}

syscall::getpriority:return
/self->ts/
{
	waited += timestamp - self->ts >= 1000000;
	n++;
	self->ts = 0;
}

END
{
	printf("%d %d\n", n, waited);
}

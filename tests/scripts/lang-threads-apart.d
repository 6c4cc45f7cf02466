#!/usr/sbin/dtrace -s
/*
 * lang-threads-apart.d: thread-local counters start at 0 in each thread.
 *
 * @@load: prog known threads seq:3
 * @@truth: output
 * @@check: [(r[1], r[4]) for r in rows] == [(str(m), str(n)) for marks in ((1,
 *     2), (1, 2), (0, 1, 2)) for n, m in enumerate(marks, 1)]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	self->n++;
	printf("mark %d is number %d of its thread\n", arg1, self->n);
}

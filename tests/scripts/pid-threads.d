#!/usr/sbin/dtrace -s
/*
 * pid-threads.d: two threads do the same work: each half of the calls is one
 * thread's.
 *
 * @@load: prog calls counts threads 15
 * @@truth: load
 * @@check: column("thread") == [15, 15]
 * @@check: n("all") == int(dict(l.split() for l in
 *     open("counts"))["fn_endbr"])
 */

#pragma D option quiet

pid$target:a.out:fn_endbr:entry
{
	@[tid] = count();
	@all = count();
}

END
{
	printa("thread %d %@d\n", @);
	printa("all %@d\n", @all);
}

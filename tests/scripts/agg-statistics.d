#!/usr/sbin/dtrace -s
/*
 * agg-statistics.d: count, sum, avg, min, max of a parabola that begins above
 * 0 and goes below.
 *
 * @@load: prog known seq:41
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == (lambda v: [len(v), sum(v),
 *     int(sum(v) / len(v)), min(v), max(v)])([i * i - 50 * i + 7 for i in
 *     range(41)])
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	this->v = (int64_t)arg1 * (int64_t)arg1 - 50 * (int64_t)arg1 + 7;
	@n = count();
	@sum = sum(this->v);
	@avg = avg(this->v);
	@min = min(this->v);
	@max = max(this->v);
}

END
{
	printa("%@d %@d %@d %@d %@d\n", @n, @sum, @avg, @min, @max);
}

#!/usr/sbin/dtrace -s
/*
 * agg-stddev.d: the standard deviation, a whole number, of three sets: even,
 * spread, equal.
 *
 * @@load: prog known seq:60
 * @@truth: output
 * @@check: rows == [[name, str(__import__("math").isqrt(sum(x * x for x in v)
 *     // 60 - (sum(v) // 60) ** 2))] for name, v in (("equal", [42] * 60),
 *     ("even", range(60)), ("spread", [1000 * i * i for i in range(60)]))]
 */

#pragma D option quiet
#pragma D option aggsortkey

syscall::getpriority:entry
/pid == $target/
{
	@d["even"] = stddev(arg1);
	@d["spread"] = stddev(1000 * arg1 * arg1);
	@d["equal"] = stddev(42);
}

END
{
	printa("%s %@d\n", @d);
}

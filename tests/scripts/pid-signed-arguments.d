#!/usr/sbin/dtrace -s
/*
 * pid-signed-arguments.d: arguments below 0 and above: their extremes, sum and
 * distribution, over 20,000 calls.
 *
 * @@load: prog series
 * @@truth: load
 * @@check: [int(w) for w in rows[0]] == [20000, -10000, 9999,
 *     sum(range(-10000, 10000))]
 * @@check: dist("halves") == {"<0": 10000, 0: 5000, 5000: 5000, **{k: v for k,
 *     v in dist("halves").items() if v == 0}}
 */

#pragma D option quiet

pid$target:a.out:fn_six:entry
{
	this->v = (int64_t)arg1;
	@n = count();
	@least = min(this->v);
	@most = max(this->v);
	@sum = sum(this->v);
	@halves["halves"] = lquantize(this->v, 0, 10000, 5000);
}

END
{
	printa("%@d %@d %@d %@d\n", @n, @least, @most, @sum);
	printa("%s%@d\n", @halves);
}

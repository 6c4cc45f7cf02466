#!/usr/sbin/dtrace -s
/*
 * agg-quantize-sizes.d: distributions of two kinds, each under its title, by
 * printa().
 *
 * @@load: prog known seq:64
 * @@truth: output
 * @@check: {k: v for k, v in dist("by twos").items() if v} == {0: 1, **{2 **
 *     k: 2 ** k for k in range(6)}}
 * @@check: {k: v for k, v in dist("by ten").items() if v} == {0: 10, 10: 10,
 *     20: 10, 30: 10, ">=40": 24}
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@twos["by twos"] = quantize(arg1);
	@tens["by ten"] = lquantize(arg1, 0, 40, 10);
}

END
{
	printa("%s%@d\n", @twos);
	printa("%s%@d\n", @tens);
}

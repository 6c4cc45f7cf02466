#!/usr/sbin/dtrace -s
/*
 * agg-keys-of-all-kinds.d: keys that are numbers, texts, characters and
 * truths, four together.
 *
 * @@load: prog known seq:16
 * @@truth: output
 * @@check: out.split() == ["%d|%s|%c|%d|%d" % (*k, c) for k, c in sorted(
 *     __import__("collections").Counter((i % 2 - 1, ("low", "high")[i > 7],
 *     "xy"[i % 4 > 1], i > 3) for i in range(16)).items())]
 */

#pragma D option quiet
#pragma D option aggsortkey

syscall::getpriority:entry
/pid == $target/
{
	@[(int)(arg1 % 2) - 1, arg1 > 7 ? "high" : "low",
	    (char)(arg1 % 4 > 1 ? 'y' : 'x'), arg1 > 3] = count();
}

END
{
	printa("%d|%s|%c|%d|%@d\n", @);
}

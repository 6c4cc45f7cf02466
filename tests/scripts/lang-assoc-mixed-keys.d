#!/usr/sbin/dtrace -s
/*
 * lang-assoc-mixed-keys.d: keys of several kinds together: a number, a text
 * and a truth.
 *
 * @@load: prog known seq:24
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [sum(i for i in range(24) if i % 3
 *     == n and i % 2 == odd and (i > 11) == late) for late in (0, 1) for n in
 *     range(3) for odd in (0, 1)]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	sums[(int)arg1 % 3, arg1 % 2 ? "odd" : "even", arg1 > 11] += arg1;
}

END
{
	printf("%d %d %d %d %d %d\n", sums[0, "even", 0], sums[0, "odd", 0],
	    sums[1, "even", 0], sums[1, "odd", 0], sums[2, "even", 0],
	    sums[2, "odd", 0]);
	printf("%d %d %d %d %d %d\n", sums[0, "even", 1], sums[0, "odd", 1],
	    sums[1, "even", 1], sums[1, "odd", 1], sums[2, "even", 1],
	    sums[2, "odd", 1]);
}

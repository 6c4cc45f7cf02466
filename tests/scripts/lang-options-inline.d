#!/usr/sbin/dtrace -s
/*
 * lang-options-inline.d: the usual way of options: inline constants choose
 * which of several aggregations and lines there are.
 *
 * @@load: prog known seq:9
 * @@truth: output
 * @@check: out.split() == [w for i in range(0, 9, 4) for w in ("mark",
 *     str(i))] + ["sum", str(sum(range(9)))]
 */

#pragma D option quiet

inline int OPT_count = 0;
inline int OPT_sum = 1;
inline int OPT_verbose = 1;
inline int OPT_each = 4;

syscall::getpriority:entry
/pid == $target/
{
	OPT_count ? @n = count() : 1;
	OPT_sum ? @s = sum(arg1) : 1;
	OPT_verbose && arg1 % OPT_each == 0 ? printf("mark %d\n", arg1) : 1;
}

END
{
	printa("sum %@d\n", @s);
}

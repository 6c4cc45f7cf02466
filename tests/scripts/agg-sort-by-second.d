#!/usr/sbin/dtrace -s
/*
 * agg-sort-by-second.d: of two aggregations in one table the second one sorts.
 *
 * @@load: prog known seq:8
 * @@truth: output
 * @@check: out.split() == os.popen("for i in 0 1 2 3 4 5 6 7; do echo $i
 *     $((100 - i)) $((i * 3 % 8)); done | sort -k3,3n").read().split()
 */

#pragma D option quiet
#pragma D option aggsortpos=1

syscall::getpriority:entry
/pid == $target/
{
	@a[arg1] = sum(100 - arg1);
	@b[arg1] = sum(arg1 * 3 % 8);
}

END
{
	printa("%d %@d %@d\n", @a, @b);
}

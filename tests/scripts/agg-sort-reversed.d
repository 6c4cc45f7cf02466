#!/usr/sbin/dtrace -s
/*
 * agg-sort-reversed.d: largest values first.
 *
 * @@load: prog known seq:12
 * @@truth: output
 * @@check: out.split() == os.popen("for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
 *     echo $i $((i * 5 % 12)); done | sort -k2,2nr").read().split()
 */

#pragma D option quiet
#pragma D option aggsortrev

syscall::getpriority:entry
/pid == $target/
{
	@[arg1] = sum(arg1 * 5 % 12);
}

END
{
	printa("%d %@d\n", @);
}

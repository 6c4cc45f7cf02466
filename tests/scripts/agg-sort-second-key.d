#!/usr/sbin/dtrace -s
/*
 * agg-sort-second-key.d: rows by their second key, and reversed.
 *
 * @@load: prog known seq:9
 * @@truth: output
 * @@check: out.split() == os.popen("for i in 0 1 2 3 4 5 6 7 8; do echo $((i %
 *     3)) w$((i * 4 % 9)) 1; done | sort -k2,2r").read().split()
 */

#pragma D option quiet
#pragma D option aggsortkey
#pragma D option aggsortkeypos=1
#pragma D option aggsortrev

syscall::getpriority:entry
/pid == $target/
{
	@[arg1 % 3, strjoin("w", lltostr(arg1 * 4 % 9))] = count();
}

END
{
	printa("%d %s %@d\n", @);
}

#!/usr/sbin/dtrace -s
/*
 * agg-many-keys.d: two thousand keys, each twice, none lost.
 *
 * @@load: prog known seq:2000 seq:2000
 * @@truth: output
 * @@check: out.split() == [__import__("hashlib").md5("".join( f"{i} 2 {2 *
 *     i}\n" for i in range(2000)).encode()).hexdigest(), "4000"]
 */

#pragma D option aggsortkey
#pragma D option destructive
#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@n[arg1] = count();
	@s[arg1] = sum(arg1);
	@all = count();
}

END
{
	freopen("rows");
	printa("%d %@d %@d\n", @n, @s);
	freopen("");
	system("md5sum < rows | cut -d' ' -f1");
	printa("%@d\n", @all);
}

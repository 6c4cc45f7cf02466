#!/usr/sbin/dtrace -s
/*
 * agg-columns.d: several aggregations of the same keys make columns of a table
 * with widths.
 *
 * @@load: prog known seq:33
 * @@truth: output
 * @@check: lines[:4] == ["%-6s|%5d|%-6d|%06d|%4d" % (f"row{k}", len(v),
 *     sum(v), max(v), sum(v) // len(v)) for k in range(4) for v in [range(k,
 *     33, 4)]]
 */

#pragma D option quiet
#pragma D option aggsortkey

syscall::getpriority:entry
/pid == $target/
{
	this->row = strjoin("row", lltostr(arg1 % 4));
	@n[this->row] = count();
	@s[this->row] = sum(arg1);
	@m[this->row] = max(arg1);
	@a[this->row] = avg(arg1);
}

END
{
	printa("%-6s|%@5d|%-@6d|%06@d|%4@d\n", @n, @s, @m, @a);
}

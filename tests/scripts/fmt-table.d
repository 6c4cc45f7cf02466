#!/usr/sbin/dtrace -s
/*
 * fmt-table.d: A report with a heading: columns of fixed width, a rule, a
 * total.
 *
 * @@load: prog calls counts once 6
 * @@truth: load
 * @@check: lines[0] == f"{'FUNCTION':<20} {'CALLS':>8}"
 * @@check: lines[1] == "-" * 20 + " " + "-" * 8
 * @@check: sorted(lines[2:16]) == sorted(f"{f:<20} {int(c):>8}" for f, c in
 *     (l.split() for l in open("counts")) if f != "fn_args")
 * @@check: lines[16] == f"{'total':<20} {sum(int(l.split()[1]) for l in
 *     open('counts') if l.split()[0] != 'fn_args'):>8}"
 */

#pragma D option quiet

BEGIN
{
	printf("%-20s %8s\n", "FUNCTION", "CALLS");
	printf("-------------------- --------\n");
}

pid$target:a.out:fn_*:entry
/probefunc != "fn_args" && probefunc != "fn_jumps"/
{
	@calls[probefunc] = count();
	@total = count();
}

END
{
	printa("%-20s %@8d\n", @calls);
	printa("total                %@8d\n", @total);
}

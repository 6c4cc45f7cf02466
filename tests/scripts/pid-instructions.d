#!/usr/sbin/dtrace -s
/*
 * pid-instructions.d: probes at each instruction of a loop: the loop's own run
 * once for each round, the others once for each call.
 *
 * @@load: prog calls counts once 21
 * @@args: -x aggsortkey
 * @@needs: cmd:gdb
 * @@truth: load
 * @@check: sorted(column()) == [21] * 4 + [sum(max(1, a % 7) for a in
 *     range(21))] * 2
 * @@check: len(rows) == int(os.popen("gdb -batch -ex 'disassemble fn_loop'
 *     $PROGS/calls | grep -c '<+'").read())
 */

#pragma D option quiet

pid$target:a.out:fn_loop:
/probename != "entry" && probename != "return"/
{
	@[probename] = count();
}

END
{
	printa("%s %@d\n", @);
}

#!/usr/sbin/dtrace -s
/*
 * pid-ten-arguments.d: all ten arguments of a function, those in registers and
 * those on the stack, and what it returns.
 *
 * @@load: prog calls counts once 3
 * @@truth: output
 * @@check: [[int(w) for w in r] for r in rows] == [list(range(1, 11)),
 *     [sum(range(1, 11))]] * 3
 */

#pragma D option quiet

pid$target:a.out:fn_args:entry
{
	printf("%d %d %d %d %d ", arg0, arg1, arg2, arg3, arg4);
	printf("%d %d %d %d %d\n", arg5, arg6, arg7, arg8, arg9);
}

pid$target:a.out:fn_args:return
{
	printf("%d\n", arg1);
}

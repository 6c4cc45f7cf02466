#!/usr/sbin/dtrace -s
/*
 * usdt-python-functions.d: functions of a Python program, by the interpreter's
 * own probe: how often each returns, and from which line.
 *
 * @@load: py exec("def leaf(n):\n return n + 1\ndef caller(n):\n return
 *     leaf(n)\nfor i in range(30): caller(i)\nfor i in range(20): leaf(i)")
 * @@args: -Z -x aggsortkey
 * @@truth: output
 * @@check: rows == [["caller", "4", "30"], ["leaf", "2", "50"]]
 */

#pragma D option quiet

python$target:::function-return
/copyinstr(arg0) == "<string>" && copyinstr(arg1) != "<module>"/
{
	@[copyinstr(arg1), arg2] = count();
}

END
{
	printa("%s %d %@d\n", @);
}

#!/usr/sbin/dtrace -s
/*
 * pid-who-calls.d: who calls a function: its callers by name, of those that
 * call and do not jump.
 *
 * @@load: prog calls counts once 20
 * @@truth: load
 * @@check: n("calls`fn_sub") == 20
 * @@check: sum(column()) == int(dict(l.split() for l in
 *     open("counts"))["fn_lea"])
 */

#pragma D option quiet

pid$target:a.out:fn_lea:entry
{
	@callers[usym(ucaller)] = count();
}

END
{
	printa("%A %@d\n", @callers);
}

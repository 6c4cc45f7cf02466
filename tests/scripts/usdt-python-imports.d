#!/usr/sbin/dtrace -s
/*
 * usdt-python-imports.d: modules that a Python program imports and that are
 * found, by name.
 *
 * @@load: py import fractions, colorsys
 * @@args: -Z
 * @@truth: output
 * @@check: n("colorsys") == 1 and n("fractions") == 1 and n("no_such") == 0
 */

#pragma D option quiet

python$target:::import-find-load-done
/arg1/
{
	@[copyinstr(arg0)] = count();
}

END
{
	printa("%s %@d\n", @);
}

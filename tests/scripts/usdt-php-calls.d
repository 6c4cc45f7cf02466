#!/usr/sbin/dtrace -s
/*
 * usdt-php-calls.d: calls of a PHP program's functions by name and line,
 * entries and returns.
 *
 * @@load: sh export USE_ZEND_DTRACE=1; for s in 5 0; do php -n -r 'function
 *     down($n) { return $n > 0 ? down($n - 1) : 0; } down(5); down(2);'; sleep
 *     $s; done
 * @@how: system
 * @@args: -Z
 * @@needs: cmd:php
 * @@err: was not known when a process began to run it
 * @@truth: output
 * @@check: n("down", "function-entry") == n("down", "function-return")
 * @@check: n("down", "function-entry") in (9, 18)   # the first may come too
 *     soon
 */

#pragma D option quiet

BEGIN
{
	printf("tracing\n");
}

php*:::function-entry,
php*:::function-return
{
	@[copyinstr(arg0), probename] = count();
}

END
{
	printa("%s %s %@d\n", @);
}

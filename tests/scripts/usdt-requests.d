#!/usr/sbin/dtrace -s
/*
 * usdt-requests.d: requests that a program serves: ids, paths and lengths as
 * its probes give them.
 *
 * @@load: prog usdtapp 9 0 quiet
 * @@truth: output
 * @@check: rows == [[str(i), ("/even", "/odd")[i % 2], str(i + 5)] for i in
 *     range(9)] + [["total", str(sum(range(5, 14)))]]
 */

#pragma D option quiet

usdtapp$target:::request-start
{
	printf("%d %s %d\n", arg0, copyinstr(arg1), arg2);
	total += arg2;
}

END
{
	printf("total %d\n", total);
}

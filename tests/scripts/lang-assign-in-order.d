#!/usr/sbin/dtrace -s
/*
 * lang-assign-in-order.d: increments, assignments in expressions and commas
 * happen in their order.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:perl
 * @@truth: output
 * @@check: out.split() == os.popen("perl -e '$i = 5; $j = $i++ + 10; print
 *     \"$i $j \"; $k = ++$i * 2; print \"$i $k \"; $x = ($y = 4, $y * 3);
 *     print \"$x $y \"; $p = $q = $r = 7; print $p + $q + $r; $n = 5; $m = $n;
 *     $n = 10; print \" \", $m + $n'").read().split()
 */

#pragma D option quiet

BEGIN
{
	i = 5;
	j = i++ + 10;
	printf("%d %d\n", i, j);
	k = ++i * 2;
	printf("%d %d\n", i, k);
	x = (y = 4, y * 3);
	printf("%d %d\n", x, y);
	p = q = r = 7;
	printf("%d\n", p + q + r);
	n = 5;
	n += (n = 10);
	printf("%d\n", n);
	exit(0);
}

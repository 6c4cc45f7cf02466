#!/usr/sbin/dtrace -s
/*
 * fmt-strings.d: texts with widths and precisions, to the left and to the
 * right.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: lines[0] == os.popen("printf
 *     '[%s][%10s][%-10s][%.3s][%10.3s][%-10.3s] [%s]%%' dtrace dtrace dtrace
 *     dtrace dtrace dtrace ''").read()
 */

#pragma D option quiet

BEGIN
{
	printf("[%s][%10s][%-10s][%.3s][%10.3s][%-10.3s] [%s]%%\n", "dtrace",
	    "dtrace", "dtrace", "dtrace", "dtrace", "dtrace", "");
	exit(0);
}

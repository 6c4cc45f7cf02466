#!/usr/sbin/dtrace -s
/*
 * fmt-now.d: the wall clock, as %Y writes it, is between two readings of
 * date(1).
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: abs(__import__("time").mktime(__import__("time").strptime(lines[0],
 *     "%Y %b %d %H:%M:%S")) - int(os.popen("date +%s").read())) <= 60    # the
 *     machine may be busy
 * @@check: abs(int(rows[1][0]) - __import__("time").time()) <= 60
 */

#pragma D option quiet

BEGIN
{
	printf("%Y\n", walltimestamp);
	printf("%d\n", walltimestamp / 1000000000);
	exit(0);
}

#!/usr/sbin/dtrace -s
/*
 * fmt-dates.d: times since 1970 as %Y and %T write them are date(1)'s.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: lines[:3] == [os.popen(f"date -d @{t} '+%Y %b %e %H:%M:%S'"
 *     ).read().strip() for t in (0, 1000000000, 1234567890)]
 * @@check: os.popen(f"date -d @951868799 '+%a, %d %b %Y %T'").read().strip()
 *     in lines[3]
 */

#pragma D option quiet

BEGIN
{
	printf("%Y\n%Y\n%Y\n", 0, 1000000000000000000,
	    1234567890000000000);
	printf("%T\n", 951868799000000000);
	exit(0);
}

#!/usr/sbin/dtrace -s
/*
 * fmt-integers.d: conversions of integers with flags, widths and precisions
 * are printf(1)'s.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.rstrip() == os.popen("printf '%d|%i|%5d|%-5d|%05d|%+d|% d|%.4d
 *     |%8.3d|%-8.3d\\n%u|%o|%#o|%x|%X|%#x|%#X|%08x|%#10x' 42 -42 42 42 42 42
 *     42 42 42 42 42 42 42 48879 48879 48879 48879 48879 48879").read()
 */

#pragma D option quiet

BEGIN
{
	printf("%d|%i|%5d|%-5d|%05d|%+d|% d|%.4d |%8.3d|%-8.3d\n", 42, -42, 42,
	    42, 42, 42, 42, 42, 42, 42);
	printf("%u|%o|%#o|%x|%X|%#x|%#X|%08x|%#10x\n", 42, 42, 42, 48879, 48879,
	    48879, 48879, 48879, 48879);
	exit(0);
}

#!/usr/sbin/dtrace -s
/*
 * fmt-pointers.d: addresses: %p, and %?x in the width of a pointer, below a
 * heading of its width.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: lines[0] == f"{'ADDRESS':>16} {'LEFT':<16}|"
 * @@check: lines[1] == f"{'deadbeef':>16} {'deadbeef':<16}|"
 * @@check: lines[2] == f"0x{0xdeadbeef:x}" or lines[2] == f"{0xdeadbeef:x}"
 */

#pragma D option quiet

BEGIN
{
	printf("%?s %-?s|\n", "ADDRESS", "LEFT");
	printf("%?x %-?x|\n", 0xdeadbeef, 0xdeadbeef);
	printf("%p\n", (void *)0xdeadbeef);
	exit(0);
}

#!/usr/sbin/dtrace -s
/*
 * fmt-tracemem.d: A dump of memory has the bytes that the program wrote, and
 * their letters.
 *
 * @@load: prog known data
 * @@truth: output
 * @@check: [int(b, 16) for b in find(r"^ +0: ((?: ?[0-9a-f]{2}){16})")[0]
 *     .split()] == [0, 1, 2, 3, 0x41, 0x42, 0x7f, 0x80, 0xff, 9, 10, 11, 12,
 *     13, 14, 15]
 * @@check: count(r"\.\.\.\.AB\.\.\.\.\.\.\.\.\.\.") == 1
 */

#pragma D option quiet

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	tracemem(copyin(arg1 + 40, 16), 16);
}

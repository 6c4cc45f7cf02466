#!/usr/sbin/dtrace -s
/*
 * opt-user-frames.d: stacks have as many frames as ustackframes says.
 *
 * @@load: prog chain_fp 8
 * @@truth: load
 * @@check: find(r"chain_fp`(\w+)") == ["mark", "descend", "descend"]
 * @@err: ustackframes permits
 */

#pragma D option quiet
#pragma D option ustackframes=3

pid$target:a.out:mark:entry
{
	ustack();
}

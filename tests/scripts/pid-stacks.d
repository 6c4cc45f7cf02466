#!/usr/sbin/dtrace -s
/*
 * pid-stacks.d: stacks of a program in which a function ends up, counted: one,
 * with each frame's name.
 *
 * @@load: prog chain_fp 4
 * @@truth: load
 * @@check: find(r"chain_fp`(\w+)") == ["mark"] + ["descend"] * 5 + ["begin",
 *     "_start"]
 * @@check: rows[-1] == ["1"]
 */

#pragma D option quiet

pid$target:a.out:mark:entry
{
	@[ustack()] = count();
}

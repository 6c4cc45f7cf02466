#!/usr/sbin/dtrace -s
/*
 * pid-short-stacks.d: stacks of two frames only, as a key beside the name of
 * the function.
 *
 * @@load: prog chain_fp 6
 * @@truth: load
 * @@check: {tuple(f): int(c) for f, c in [(re.findall(r"`(\w+)", s),
 *     re.findall( r"(\d+)\s*$", s)[0]) for s in re.split(r"^ *descend", out,
 *     flags=re.M)[1:]]} == {("descend", "descend"): 6, ("descend", "begin"):
 *     1}
 */

pid$target:a.out:descend:entry
{
	@[probefunc, ustack(2)] = count();
}

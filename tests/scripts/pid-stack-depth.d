#!/usr/sbin/dtrace -s
/*
 * pid-stack-depth.d: how deep stacks are: the program knows how many frames it
 * has.
 *
 * @@load: prog chain 9
 * @@truth: load
 * @@check: column("depth") == [9 + 1 + 3] * 2
 */

#pragma D option quiet

pid$target:a.out:mark:entry
{
	printf("depth %d\n", ustackdepth);
	printf("depth %d\n", arg0);
}

#!/usr/sbin/dtrace -s
/*
 * nthopen.d N: ends with the N-th open of a program, whatever is still to come.
 *
 * @@load: toil opens 100
 * @@operands: 30
 * @@truth: output
 * @@how: self
 * @@exit: 3
 * @@check: column("open") == list(range(1, 31))
 */

#pragma D option quiet

int n;

dtrace:::BEGIN
{
	printf("Waiting for %d opens\n", $1);
}

syscall::openat:entry
/execname == "toil" && n < $1/
{
	n++;
	printf("open %d\n", n);
}

syscall::openat:entry
/n == $1/
{
	exit(3);
}

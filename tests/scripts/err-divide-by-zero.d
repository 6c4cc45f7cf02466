#!/usr/sbin/dtrace -s
/*
 * err-divide-by-zero.d: A division by zero ends its clause only: ERROR comes,
 * and the others go on.
 *
 * @@load: prog known seq:12
 * @@err: divide-by-zero
 * @@truth: output
 * @@check: [int(w) for w in out.split()] == [12, sum(i % 4 == 0 for i in
 *     range(12)), sum(100 // (i % 4) for i in range(12) if i % 4)]
 */

#pragma D option quiet

int faults, total;

syscall::getpriority:entry
/pid == $target/
{
	@marks = count();
	total += 100 / ((int)arg1 % 4);
}

ERROR
/arg4 == DTRACEFLT_DIVZERO/
{
	faults++;
}

END
{
	printa("%@d\n", @marks);
	printf("%d %d\n", faults, total);
}

#!/usr/sbin/dtrace -s
/*
 * agg-normalize.d: normalize() divides what is printed, not what is kept;
 * denormalize() undoes it.
 *
 * @@load: prog known seq:100
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == [" ".join(f"{k}:{s // d}" for k, s
 *     in enumerate(1000 * sum(range(j, 100, 2)) for j in (0, 1))) for d in (1,
 *     1000, 7, 1)]
 */

#pragma D option quiet
#pragma D option aggsortkey

syscall::getpriority:entry
/pid == $target/
{
	@[arg1 % 2] = sum(1000 * arg1);
}

END
{
	printa("%d:%@d ", @);
	printf("\n");
	normalize(@, 1000);
	printa("%d:%@d ", @);
	printf("\n");
	normalize(@, 7);
	printa("%d:%@d ", @);
	printf("\n");
	denormalize(@);
	printa("%d:%@d ", @);
	printf("\n");
}

#!/usr/sbin/dtrace -s
/*
 * opt-defines.d: names that the command line defines choose limits and whole
 * clauses.
 *
 * @@load: prog known seq:20
 * @@args: -C -D LIMIT=14 -D WITH_END -U OTHER
 * @@truth: output
 * @@check: out.split() == [str(i) for i in range(15, 20)] + ["seen", "20"]
 */

#pragma D option quiet

#ifndef LIMIT
#error "LIMIT is not defined"
#endif

syscall::getpriority:entry
/pid == $target && ++n && arg1 > LIMIT/
{
	printf("%d\n", arg1);
}

#ifdef WITH_END
END
{
	printf("seen %d\n", n);
}
#endif

#ifdef OTHER
END
{
	printf("other\n");
}
#endif

#!/usr/sbin/dtrace -s
/*
 * lang-once-and-every.d: the first mark is told once and every seventh one
 * again, by predicates that name what their own clauses assign.
 *
 * @@load: prog known seq:50
 * @@truth: output
 * @@check: out.split() == "first 0".split() + [w for i in range(1, 50) if i %
 *     7 == 0 for w in ("again", str(i))] + ["50", "marks"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	marks++;
}

syscall::getpriority:entry
/marks && !seen/
{
	seen = 1;
	printf("first %d\n", arg1);
}

syscall::getpriority:entry
/marks > 1 && marks % 7 == 1/
{
	printf("again %d\n", arg1);
}

END
{
	printf("%d marks\n", marks);
}

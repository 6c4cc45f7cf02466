#!/usr/sbin/dtrace -s
/*
 * lang-if-else.d: if and else, one within the other, choose what a line says.
 *
 * @@load: prog known seq:12
 * @@truth: output
 * @@check: out.split("\n")[:9] == ["small even", "small odd"] * 2 + [f"middle
 *     {i}" for i in range(4, 8)] + [f"big {sum(range(8, 12))}"]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	if (arg1 < 4) {
		if (arg1 % 2) {
			printf("small odd\n");
		} else {
			printf("small even\n");
		}
	} else if (arg1 < 8) {
		printf("middle %d\n", arg1);
	} else {
		big += arg1;
	}
}

END
{
	printf("big %d\n", big);
}

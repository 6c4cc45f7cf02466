#!/usr/sbin/dtrace -s
/*
 * lang-assoc-squares.d: an associative array of 300 keys gives back what each
 * was given.
 *
 * @@load: prog known seq:300 seq:300
 * @@truth: output
 * @@check: out.split() == ["300", str(sum(i * i + 1 for i in range(300)))]
 */

#pragma D option quiet

int64_t square[int64_t];

syscall::getpriority:entry
/pid == $target && square[arg1]/
{
	right += square[arg1] == arg1 * arg1 + 1;
	all += square[arg1];
}

syscall::getpriority:entry
/pid == $target/
{
	square[arg1] = arg1 * arg1 + 1;
}

END
{
	printf("%d %d\n", right, all);
}

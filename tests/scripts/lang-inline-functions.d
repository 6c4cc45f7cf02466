#!/usr/sbin/dtrace -s
/*
 * lang-inline-functions.d: inline functions of numbers and of texts, one
 * within another.
 *
 * @@load: prog known seq:5
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == [f"{i} {2 * (i + 1) * (i + 1) + 1} "
 *     + ("hi" if i > 2 else "lo") for i in range(5)]
 */

#pragma D option quiet

inline int twice[int n] = 2 * n;
inline int poly[int n] = twice[n] * n + 1;
inline string half[int n] = n > 2 ? "hi" : "lo";

syscall::getpriority:entry
/pid == $target/
{
	printf("%d %d %s\n", arg1, poly[(int)arg1 + 1], half[(int)arg1]);
}

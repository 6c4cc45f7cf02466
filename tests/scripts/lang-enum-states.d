#!/usr/sbin/dtrace -s
/*
 * lang-enum-states.d: A small machine of states by an enum of the script.
 *
 * @@load: prog known seq:10
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == [f"{i} " + ("idle 5", "busy 6",
 *     "done 12")[i % 3] for i in range(10)]
 */

#pragma D option quiet

enum state { IDLE = 5, BUSY, DONE = 12 };

enum state st;

BEGIN
{
	st = IDLE;
}

syscall::getpriority:entry
/pid == $target/
{
	printf("%d %s %d\n", arg1, st == IDLE ? "idle" :
	    st == BUSY ? "busy" : "done", st);
	st = st == IDLE ? BUSY : st == BUSY ? DONE : IDLE;
}

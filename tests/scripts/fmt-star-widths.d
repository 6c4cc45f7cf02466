#!/usr/sbin/dtrace -s
/*
 * fmt-star-widths.d: widths and precisions that are arguments: a staircase of
 * numbers and texts.
 *
 * @@load: prog known seq:12
 * @@truth: output
 * @@check: lines[:12] == ["|%*d|%-*s|%.*s|" % (i + 1, i, 12 - i, "ab", i % 4,
 *     "wxyz") if i % 4 else "|%*d|%-*s|wxyz|" % (i + 1, i, 12 - i, "ab") for i
 *     in range(12)]    # a precision of 0 is none
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("|%*d|%-*s|%.*s|\n", (int)arg1 + 1, arg1, 12 - (int)arg1, "ab",
	    (int)arg1 % 4, "wxyz");
}

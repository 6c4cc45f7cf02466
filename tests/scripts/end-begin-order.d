#!/usr/sbin/dtrace -s
/*
 * end-begin-order.d: BEGIN clauses in their order before all, END clauses in
 * theirs after all.
 *
 * @@load: prog known seq:2
 * @@truth: output
 * @@check: out.split() == "b1 b2 m0 m1 e1 e2".split()
 */

#pragma D option quiet

END { printf("e1 "); }
BEGIN { printf("b1 "); }
syscall::getpriority:entry /pid == $target/ { printf("m%d ", arg1); }
BEGIN { printf("b2 "); }
END { printf("e2\n"); }

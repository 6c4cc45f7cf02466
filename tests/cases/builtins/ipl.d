/*
 * ipl is 0 in a thread, be it in a system call or dtrace itself, and 2 in the
 * timer's interrupt.
 * @@args: -q
 * @@needs: kernel prog:known
 * @@run: $PROGS/known args sleep:1500
 */
BEGIN { printf("%d\n", ipl); }
syscall::getpriority:return /pid == $target/ { thread += ipl + 10; }
tick-10ms /!ticked++/ { printf("%d\n", ipl); }
profile-200hz /!fired++/ { interrupt = ipl; }
END { printf("%d %d\n", thread, interrupt); }

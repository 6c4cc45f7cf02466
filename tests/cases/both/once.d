/*
 * A process is not entered for probes that fire once in it.
 * @@needs: prog:mixed
 */
BEGIN { n = 5; }
pid$target::main:entry { n++; }
pid$target:libc.so.6:exit:entry, pid$target:libc.so.6:_exit:entry { @[n] = count(); }
sched:::off-cpu /n == -1/ { n = 0; }

/*
 * exit() in BEGIN: nothing fires any more in either part, except END.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 1000
 * @@exit: 5
 */
BEGIN { begun = 1; exit(5); }
pid$target:a.out:step:entry /begun/ { @fired = count(); }
syscall::getpriority:entry /pid == $target/ { @fired = count(); }
END { printf("end\n"); printa("%@d\n", @fired); }

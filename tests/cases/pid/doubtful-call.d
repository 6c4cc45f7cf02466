/*
 * A system call in code that may be no code stays as it is, and is reported by
 * name; it is not passed over.
 * @@args: -q -x substrate=process
 * @@needs: prog:doubtful
 * @@run: $PROGS/doubtful
 */
syscall::getppid:entry { @ = count(); }
END { printa("%@d", @); }

/*
 * probe is the whole name of the probe, as a value, a key and in a predicate.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3 fail
 */
BEGIN { printf("%s\n", probe); }

syscall::getpriority:entry,
syscall::getpriority:return,
syscall::close:entry
/pid == $target && probe != "syscall:vmlinux:getpriority:return" &&
    (probefunc == "getpriority" || (int)arg0 == -1)/
{
	@[probe] = count();
	last = probe;
}

END { printf("%s %d\n", last, strlen(probe)); printa("%s %@d\n", @); }

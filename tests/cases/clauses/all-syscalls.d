/*
 * One clause on every system call sees all of them, and none of dtrace's.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:5
 */
syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}

syscall:::return
/pid == $target/
{
	@r[probefunc] = count();
}

END { printa("%s %@d\n", @); printa("%s %@d\n", @r); }

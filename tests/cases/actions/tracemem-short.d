/*
 * A hex dump's last row may be short.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	tracemem(copyin(arg1 + 40, 6), 6);
}

/*
 * After clear() and trunc() counting goes on from 0.
 * @@args: -q -x switchrate=50ms
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3 sleep:400 fail sleep:400 seq:1 seq:1
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@c[arg1] = count();
	@t[arg1] = count();
}

syscall::close:entry
/pid == $target && (int)arg0 == -1/
{
	clear(@c);
	trunc(@t);
}

END
{
	printa("clear %d %@d\n", @c);
	printa("trunc %d %@d\n", @t);
}

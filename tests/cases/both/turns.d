/*
 * printa() and trunc() of a tick while both parts count: no call is counted
 * twice, and none is lost.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 3000 100
 */
pid$target:a.out:step:entry { @n[0] = count(); @all = count(); }
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@n[0] = count();
	@all = count();
}
tick-20ms { normalize(@n, 1); trunc(@n, 0); }
END
{
	trunc(@n);
	printa("rows %@d\n", @n);
	printa("%@d\n", @all);
}

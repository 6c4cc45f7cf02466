/*
 * Fields are globs: * ? [set] [!set].
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:2
 */
BEGIN { self->ready = 1; }

syscall::get*ority:entry /pid == $target && arg0 == 0x7001/ { @[1] = count(); }
syscall::g?tpriority:entry /pid == $target && arg0 == 0x7001/
{
	@[2] = count();
}
syscall::[f-h]etpriority:entry /pid == $target && arg0 == 0x7001/
{
	@[3] = count();
}
syscall::[!a-f]etpriority:e*y /pid == $target && arg0 == 0x7001/
{
	@[4] = count();
}
sys*::getpriority:entry /pid == $target && arg0 == 0x7001/ { @[5] = count(); }
END { printa("%d %@d\n", @); }

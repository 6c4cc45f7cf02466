/*
 * Missing leading fields and empty fields match anything.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
getpriority:entry /pid == $target && arg0 == 0x7001/ { @[1] = count(); }
:getpriority:entry /pid == $target && arg0 == 0x7001/ { @[2] = count(); }
::getpriority:entry /pid == $target && arg0 == 0x7001/ { @[3] = count(); }
syscall:::entry /pid == $target && probefunc == "getpriority"/
{
	@[4] = count();
}
syscall::getpriority: /pid == $target/
{
	@[probename == "entry" ? 5 : 6] = count();
}
END { printa("%d %@d\n", @); }

/*
 * Names of the probe and of the program are keys like other strings.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[execname, probefunc, probename, probeprov, probemod] = count();
}

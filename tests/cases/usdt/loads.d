/*
 * A library that $target loads, and unloads, while it is traced: no firing is
 * missed, for the process waits in the dynamic linker meanwhile.
 * @@args: -qZ
 * @@needs: cpus:2
 * @@run: $PROGS/usdtload $PROGS/libusdtlib.so 3 50
 */
usdtlib$target:::fire
{
	@[probefunc] = count();
}

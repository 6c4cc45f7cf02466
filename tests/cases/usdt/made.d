/*
 * Probes that a program makes while it runs (libdtrace-usdt): it waits until
 * they are traced, so no firing is missed.
 * @@args: -qZ
 * @@needs: cpus:2 prog:maker
 * @@run: $PROGS/maker 3
 */
made$target:::begin
{
	printf("%s:%s:%s\n", probemod, probefunc, probename);
}

made$target:::all-done
{
	printf("%s %d %d %d %d\n", copyinstr(arg0), (int)arg1,
	    arg2 == 1 << 40, arg6, arg7);
}

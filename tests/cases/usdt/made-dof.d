/*
 * DOF that a program gives to the helper's device of other systems, as libusdt
 * does: its code is on a page of the heap, which stays writable, and is as it
 * was in the end.
 * @@args: -qZ
 * @@needs: cpus:2 prog:dofmaker
 * @@run: $PROGS/dofmaker 3
 */
dofmade$target:::it-happened
{
	printf("%s:%s %d %s\n", probemod, probefunc, (int)arg0,
	    copyinstr(arg1));
}

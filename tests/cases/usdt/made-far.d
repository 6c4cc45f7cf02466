/*
 * DOF of a probe with two sites that are farther from each other than a jump
 * leads: both fire, and are as they were in the end.
 * @@args: -qZ
 * @@needs: cpus:2 prog:dofmaker
 * @@run: $PROGS/dofmaker 2 far
 */
dofmade$target:::it-happened
{
	printf("%s:%s %d %s\n", probemod, probefunc, (int)arg0,
	    copyinstr(arg1));
}

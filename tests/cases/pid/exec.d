/*
 * When the process runs another program, its probes are planted before it
 * begins; those of the program before do not fire any more.
 * @@args: -q -Z -x aggsortkey
 * @@needs: prog:loads cpus:2
 * @@run: $PROGS/loads exec $PROGS/calls counts once 20
 * @@process: the program is over before it is seen that it was executed
 */
pid$target:loads:main:entry, pid$target:calls:fn_nop:entry, pid$target:calls:main:entry
{
	@[probemod, probefunc] = count();
}
END { printa("%s %s %@d\n", @); }

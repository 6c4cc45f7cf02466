/*
 * What descendants execute has probes by the same descriptions: a.out is the
 * program of each, and a program that $target executes itself is traced on.
 * @@args: -q -Z -x follow -x aggsortkey
 * @@needs: prog:family prog:calls prog:calls_pie cpus:2
 * @@run: $PROGS/family 3 fork 2 4 exec $PROGS/calls counts once 20 end spawn exec $PROGS/calls_pie counts once 30 end exec $PROGS/calls counts once 7
 * @@alone: follow puts breakpoints into all processes
 */
pid$target:a.out:family_work:entry, pid$target:a.out:fn_nop:entry
{
	@[probemod, pid == $target, probeprov == strjoin("pid", lltostr(pid))] =
	    count();
}
END { printa("%s %d %d %@d\n", @); }

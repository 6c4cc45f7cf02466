/*
 * With option follow, the probes of $target's program fire in its descendants,
 * also in programs that these execute.  Their provider is called by the number
 * of $target in all of them.
 * @@args: -q -Z -x follow -x aggsortkey
 * @@needs: prog:family prog:sdtapp cpus:2
 * @@run: $PROGS/family fork 2 exec $PROGS/sdtapp 5 0 quiet end spawn exec $PROGS/sdtapp 7 0 quiet end exec $PROGS/sdtapp 11 0 quiet
 * @@alone: follow puts breakpoints into all processes
 */
sdtapp$target:::round
{
	@[pid == $target, probeprov == strjoin("sdtapp", lltostr($target))] =
	    count();
}
END { printa("%d %d %@d\n", @); }

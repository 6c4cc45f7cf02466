/*
 * $target executes another program, which brings the probes.
 * @@args: -qZ
 * @@needs: cpus:2
 * @@run: sh -c "exec $PROGS/sdtapp 70"
 */
sdtapp$target:::round
{
	@[execname] = count();
}

/*
 * $target executes another program, which brings the probes.
 * @@args: -qZ
 * @@run: sh -c "exec $PROGS/sdtapp 70"
 */
sdtapp$target:::round
{
	@[execname] = count();
}

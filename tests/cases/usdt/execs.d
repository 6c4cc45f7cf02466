/*
 * $target executes another program, which brings the probes.
 * @@args: -qZ
 * @@needs: cpus:2
 * @@run: sh -c "exec $PROGS/sdtapp 70"
 * @@process: the program is over before it is seen that it was executed
 */
sdtapp$target:::round
{
	@[execname] = count();
}

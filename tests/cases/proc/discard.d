/*
 * A signal that is ignored is sent and discarded.
 * @@args: -q
 * @@needs: prog:signals
 * @@run: $PROGS/signals ignore
 */
proc:::signal-*
/pid == $target && arg1 == 10/
{
	@[probename] = count();
}

proc:::signal-discard
/pid == $target && args[2] == 10/
{
	@who[args[1]->pr_fname, args[2]] = count();
}

END
{
	printa("%s %@d\n", @);
	printa("%s %d %@d\n", @who);
}

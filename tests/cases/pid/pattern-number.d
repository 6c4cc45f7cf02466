/*
 * A pattern with the number of the process at its end is a pid provider, too.
 * @@args: -q
 * @@run: $PROGS/usdtapp 3
 */
p*d$target::serve:entry
{
	@[probefunc, probename] = count();
}
END
{
	printa("%s %s %@d\n", @);
}

/*
 * Several names of one address are one probe for a pattern, by the name that
 * people use.
 * @@args: -q
 * @@run: $PROGS/usdtapp 1
 */
pid$target:libc.so.6:*write:entry
/arg0 == 1/
{
	@[probefunc] = count();
}

END
{
	printa("%s %@d\n", @);
}

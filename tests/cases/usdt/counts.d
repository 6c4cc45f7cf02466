/*
 * A program built with -h and -G: every firing is there, also those that the
 * program makes only while it is traced.
 * @@args: -q
 * @@run: $PROGS/usdtapp 100
 */
usdtapp$target:::
{
	@[probename] = count();
}
END
{
	printa("%s %@d\n", @);
}

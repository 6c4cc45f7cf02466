/*
 * A provider without a number is that of the traced command.
 * @@args: -q
 * @@run: $PROGS/usdtapp 5
 */
usdtapp:::request-start
{
	@[probeprov == strjoin("usdtapp", lltostr($target))] = sum(arg0);
}
END
{
	printa("%d %@d\n", @);
}

/*
 * A probe name alone finds the probes of the traced command.
 * @@args: -q
 * @@run: $PROGS/usdtapp 5
 */
request-start
{
	@[probeprov == strjoin("usdtapp", lltostr($target))] = sum(arg0);
}
END
{
	printa("%d %@d\n", @);
}

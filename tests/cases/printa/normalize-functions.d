/*
 * Normalisation applies to averages and distributions too.
 * @@args: -q
 */
BEGIN { @a = avg(100); @a = avg(300); @q = quantize(1, 50); exit(0); }

END
{
	normalize(@a, 10);
	normalize(@q, 5);
	printa("%@d\n", @a);
}

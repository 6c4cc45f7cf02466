/*
 * Percentiles are interpolated within their bucket: 100 values from 0 to 99,
 * of which 36 are in the bucket from 64 to 127.  A bucket without an end has
 * one bound.  Nothing is printed for a distribution without data.
 * @@args: -q -x aggpct=25,50,99.9,100
 */
int i;

tick-1000hz
/i < 100/
{
	@q = quantize(i);
	@l = lquantize(i, 10, 60, 10);
	@ll = llquantize(i, 10, 0, 1, 10);
	i++;
}

tick-1000hz
/i == 100/
{
	@none = quantize(i);
	clear(@none);
	printa(@q);
	printa(@l);
	printa(@ll);
	printa("as text:%@d", @q);
	printa(@none);
	exit(0);
}

/*
 * With a unit, bounds and percentiles have three digits.
 * @@args: -q -x aggpct=50
 */
BEGIN
{
	@ns = quantize(1500000);
	@zero = quantize(-1);
	@zero = quantize(0);
	@s = lquantize(90, 0, 120, 60);
	@bytes = quantize(3000000);
}

BEGIN
{
	setopt("units", "ns");
	printa(@ns);
	printa(@zero);
	setopt("units", "s");
	printa(@s);
	setopt("units", "bytes");
	printa(@bytes);
	setopt("aggpack");
	printa(@bytes);
	setopt("units", "none");
	printa(@bytes);
	exit(0);
}

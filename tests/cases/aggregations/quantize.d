/*
 * quantize() puts values into powers of two.
 * @@args: -q
 */
BEGIN
{
	@ = quantize(0);
	@ = quantize(1);
	@ = quantize(2);
	@ = quantize(3);
	@ = quantize(4);
	@ = quantize(7);
	@ = quantize(8);
	exit(0);
}

/*
 * Bars are rounded to the nearest column.
 * @@args: -q
 */
BEGIN
{
	@ = quantize(1);
	@ = quantize(2);
	@ = quantize(2);
	exit(0);
}

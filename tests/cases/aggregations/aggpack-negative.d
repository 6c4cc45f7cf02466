/*
 * Packed: counts below zero hang down; aggzoom makes the highest bucket full.
 * @@args: -q -x aggpack -x aggzoom
 */
BEGIN
{
	@q = quantize(-1, 4);
	@q = quantize(1, -4);
	@q = quantize(4, 1);
	exit(0);
}

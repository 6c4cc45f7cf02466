/*
 * With encoding=utf8, pictures are made of block characters: bars of eighths
 * of a column, packed cells of eight heights.  Without it they are ASCII.
 * @@args: -q -x agghist -x aggpack -x encoding=utf8
 */
BEGIN
{
	@s["a"] = sum(1);
	@s["b"] = sum(2);
	@s["c"] = sum(13);
	@q = quantize(1);
	@q = quantize(1);
	@q = quantize(1);
	@q = quantize(4);
	exit(0);
}

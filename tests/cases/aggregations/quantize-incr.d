/*
 * quantize()'s second argument is how much to count.
 * @@args: -q
 */
BEGIN
{
	@ = quantize(1, 10);
	@ = quantize(2, 30);
	exit(0);
}

/*
 * Values below the base and from the limit on have buckets.
 * @@args: -q
 */
BEGIN
{
	@ = lquantize(9, 10, 30, 10);
	@ = lquantize(-5, 10, 30, 10);
	@ = lquantize(30, 10, 30, 10);
	@ = lquantize(1000, 10, 30, 10);
	exit(0);
}

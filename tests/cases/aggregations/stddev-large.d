/*
 * stddev() squares in 128 bits.
 * @@args: -q
 */
BEGIN
{
	@ = stddev(8000000000);
	@ = stddev(-8000000000);
	exit(0);
}

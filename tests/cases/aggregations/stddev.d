/*
 * stddev() is the truncated root of the mean square less the square mean.
 * @@args: -q
 */
BEGIN
{
	@a = stddev(2);
	@a = stddev(4);
	@a = stddev(4);
	@a = stddev(4);
	@a = stddev(5);
	@a = stddev(5);
	@a = stddev(7);
	@a = stddev(9);
	@b = stddev(7);
	@c = stddev(-5);
	@c = stddev(5);
	exit(0);
}

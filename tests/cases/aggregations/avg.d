/*
 * avg() truncates toward zero.
 * @@args: -q
 */
BEGIN
{
	@a = avg(1);
	@a = avg(2);
	@b = avg(-1);
	@b = avg(-2);
	@c = avg(10);
	exit(0);
}

/*
 * min() and max() keep the extremes.
 * @@args: -q
 */
BEGIN
{
	@a = min(5);
	@a = min(-3);
	@a = min(9);
	@b = max(-5);
	@b = max(-3);
	@b = max(-9);
	exit(0);
}

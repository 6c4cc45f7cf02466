/*
 * else belongs to the nearest if.
 * @@args: -q
 */
BEGIN
{
	if (1)
		if (0)
			trace(1);
		else
			trace(2);
	exit(0);
}

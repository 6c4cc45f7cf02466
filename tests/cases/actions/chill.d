/*
 * chill() keeps the CPU busy for so many nanoseconds: the thread's own time
 * stands still meanwhile, and the clock goes on.
 * @@args: -q -w
 */
BEGIN
{
	t = timestamp;
	v = vtimestamp;
	chill(20 * 1000000);
	passed = timestamp - t;
	printf("%d %d\n", passed >= 20000000, passed < 400000000);
}

BEGIN { printf("%d\n", vtimestamp - v < 10000000); exit(0); }

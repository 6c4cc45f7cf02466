/*
 * timeslot() is the start of the interval in which walltimestamp lies.
 * @@args: -q
 */
int64_t before, slot, after;

BEGIN
{
	before = walltimestamp;
	slot = timeslot(250ms);
	after = walltimestamp;
	printf("%d %d %d\n", slot % 250ms, slot > before - 250ms ? 1 : 0,
	    slot <= after ? 1 : 0);
	printf("%d %d\n", timeslot(1d) % 86400000000000,
	    timeslot(1d) > walltimestamp - 1d ? 1 : 0);
	printf("%d\n", timeslot(1ns) >= after ? 1 : 0);
	@[timeslot(1d) % 1d] = count();
	exit(0);
}

/*
 * timeslot() takes no interval of no length.
 */
BEGIN
{
	@[timeslot(0)] = count();
}

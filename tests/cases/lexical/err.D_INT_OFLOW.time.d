/*
 * A time does not exceed 63 bits of nanoseconds.
 */
BEGIN
{
	x = 106752d;
}

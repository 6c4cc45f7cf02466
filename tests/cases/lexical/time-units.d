/*
 * A decimal integer with a unit of time is its nanoseconds, of 64 bits.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d %d\n", 7ns, 5us, 10ms, 1s);
	printf("%d %d %d\n", 2m, 3h, 106751d);
	printf("%d %d\n", 4s * 10, sizeof (1ns));
	printf("%d %d %d\n", 0x1d, 5u, 1s - 2s < 0 ? 1 : 0);
	exit(0);
}

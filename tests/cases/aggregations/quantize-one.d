/*
 * One value shows with an empty row on each side.
 * @@args: -q
 */
BEGIN
{
	@ = quantize(1000);
	exit(0);
}

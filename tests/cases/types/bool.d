/*
 * A value becomes 1 as _Bool unless it is 0, whatever its low bits are.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d %d\n", (_Bool)5, (_Bool)0, (_Bool)256, sizeof(_Bool));
	exit(0);
}

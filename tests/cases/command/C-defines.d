/*
 * -C defines __SUNW_D.
 */
BEGIN
{
	printf("%d %d\n", __SUNW_D, __SUNW_D_VERSION >= 0x01000000);
	exit(0);
}

/*
 * getmajor and getminor take the kernel's device number apart.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d\n", getmajor(8 << 20 | 1), getminor(8 << 20 | 1));
	printf("%d %d\n", getmajor(0xffffffff), getminor(0xffffffff));
	printf("%d %d\n", getmajor(0), getminor(0));
	exit(0);
}

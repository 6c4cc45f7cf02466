/*
 * Types of a library that the process has mapped, by its file name.
 */
BEGIN
{
	printf("%d %d\n", sizeof (struct libshape.so`shape),
	    offsetof(struct libshape.so`shape, area));
	exit(0);
}

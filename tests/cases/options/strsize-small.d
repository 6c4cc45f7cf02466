/*
 * Strings may be as short as one likes.
 */
BEGIN
{
	x = "abcdef";
	self->y = x;
	a[x] = 1;
	printf("%s %s %d\n", x, self->y, strlen(x));
	exit(0);
}

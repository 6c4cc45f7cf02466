/*
 * A thread-local string of 48 KB is kept, or the kernel keeps less and the
 * script is refused.
 * @@args: -q
 */
BEGIN
{
	self->z = strjoin("a", "b");
	printf("%s\n", self->z);
	exit(0);
}

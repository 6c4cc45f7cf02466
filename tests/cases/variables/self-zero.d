/*
 * Storing 0 in a thread-local frees it; the next use sees 0.
 * @@args: -q
 */
BEGIN
{
	self->a = 5;
	printf("%d\n", self->a);
	self->a = 0;
	printf("%d\n", self->a);
	self->a = 6;
	printf("%d\n", self->a);
	exit(0);
}

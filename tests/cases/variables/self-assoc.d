/*
 * A thread-local may be an associative array.
 * @@args: -q
 */
BEGIN
{
	self->m["a"] = 1;
	self->m["b"] = 2;
	printf("%d %d %d\n", self->m["a"], self->m["b"], self->m["c"]);
	self->m["a"] = 0;
	printf("%d %d\n", self->m["a"], self->m["b"]);
	exit(0);
}

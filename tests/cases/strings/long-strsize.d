/*
 * Strings of every permitted size work in variables, keys and records.
 * @@args: -q -x strsize=48k -x aggsize=16m
 */
BEGIN
{
	x = strjoin("a", "b");
	self->z = x;
	m[x] = "value";
	this->p = m[x];
	@[x, this->p] = count();
	printf("%d %s %s %s\n", strlen(x), x, self->z, this->p);
	printa("%s %s %@d\n", @);
	exit(0);
}

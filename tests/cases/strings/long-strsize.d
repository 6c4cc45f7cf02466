/*
 * Strings of every permitted size work in variables, keys and records.
 * @@args: -q -x strsize=48k -x aggsize=16m
 */
BEGIN
{
	x = strjoin("a", "b");
	m[x] = "value";
	this->p = m[x];
	@[x, this->p] = count();
	printf("%d %s %s\n", strlen(x), x, this->p);
	printa("%s %s %@d\n", @);
	exit(0);
}

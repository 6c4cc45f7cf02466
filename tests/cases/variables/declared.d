/*
 * A global may be declared with its type.
 * @@args: -q
 */
int64_t big;
string name;
int counts[string, int];
self int mine;
this char small;
BEGIN
{
	big = 1;
	big <<= 40;
	name = "n";
	counts["a", 1] = 3;
	self->mine = 4;
	this->small = 260;
	printf("%d %s %d %d %d\n", big, name, counts["a", 1], self->mine,
	    this->small);
	exit(0);
}

/*
 * A whole translation by a translator that comes later is the same as at once:
 * what the translator does not define is zero.
 * @@args: -q
 */
struct in v;

BEGIN
{
	v.x = 13;
	v.y = 22;
	this->o = xlate <struct out> (v);
	this->p = xlate <struct out *> (v);
	trace(xlate <struct out> (v).sum);
	printf("\n%d %s %s %d %d %d %d %d %d\n", this->o.sum, this->o.name,
	    stringof(this->o.text), this->o.big, this->o.c, this->o.low,
	    this->p->high, this->p->s.a, this->p->s.b);
	printf("%d %d [%s] %d [%s]\n", this->o.none.a, this->p->none.b,
	    this->o.nothing, this->o.zero, stringof(this->o.zeroes));
	print(xlate <struct out> (v));
	exit(0);
}

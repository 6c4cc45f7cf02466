/*
 * self and this declare typed variables; so does neither word.
 * @@args: -q
 */
self int a;
this char b;
self string s[int];
int64_t g;
BEGIN
{
	self->a = 3;
	this->b = 300;
	self->s[1] = "x";
	g = -1;
	printf("%d %d %s %d\n", self->a, this->b, self->s[1], g);
	exit(0);
}

/*
 * The same name in self->, this-> and globally is three variables.
 * @@args: -q
 */
BEGIN
{
	v = 1;
	self->v = 2;
	this->v = 3;
	printf("%d %d %d\n", v, self->v, this->v);
	exit(0);
}

/*
 * self, this and extern imply int where only names follow.  An extern array
 * needs no size, an extern function no parameters.
 * @@args: -q
 */
self x;
self y, *z;
this w;
this v, u;
extern e9;
extern int bounds[];
extern int anything(...);
extern int none();
extern char __start_rodata[];

BEGIN
{
	self->x = 1;
	self->y = 2;
	this->w = 3;
	this->v = 4;
	this->u = 5;
	printf("%d %d %d %d\n", sizeof (self->x), sizeof (self->z),
	    sizeof (this->w), sizeof (*self->z));
	printf("%d\n", self->x + self->y + this->w + this->v + this->u);
	printf("%d\n", __start_rodata[3] == `__start_rodata[3]);
	exit(0);
}

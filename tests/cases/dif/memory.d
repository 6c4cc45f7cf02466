/*
 * Each width has its load and its store; a load extends by the member's sign.
 */
struct every {
	char c;
	unsigned char uc;
	short h;
	unsigned short uh;
	int w;
	unsigned int uw;
	long x;
};
BEGIN
{
	this->p = (struct every *)alloca(sizeof (struct every));
	this->p->c = 1;
	this->p->uh = 1;
	this->p->w = 1;
	this->p->x = 1;
	trace(this->p->c);
	trace(this->p->uc);
	trace(this->p->h);
	trace(this->p->uh);
	trace(this->p->w);
	trace(this->p->uw);
	trace(this->p->x);
}

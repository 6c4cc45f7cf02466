/*
 * 128-bit integers and complex numbers, which D does not compute with, have
 * their size and alignment; _Atomic says nothing about the layout.
 * @@args: -q
 */
struct wide {
	char first;
	__int128 i;
	unsigned __int128 u;
	char c;
	float _Complex fc;
	double _Complex dc;
	_Complex long double lc;
	_Atomic int a;
	_Atomic(long) b;
	int _Atomic *p;
};

BEGIN
{
	printf("%d %d %d %d\n", offsetof(struct wide, i),
	    offsetof(struct wide, u), offsetof(struct wide, fc),
	    offsetof(struct wide, dc));
	printf("%d %d %d %d\n", offsetof(struct wide, lc),
	    offsetof(struct wide, a), offsetof(struct wide, b),
	    sizeof(struct wide));
	this->w = (struct wide *)alloca(sizeof(struct wide));
	this->w->a = 7;
	this->w->b = this->w->a + 1;
	printf("%d %d\n", this->w->b, sizeof(_Complex));
	exit(0);
}

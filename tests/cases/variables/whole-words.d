/*
 * A variable keeps all 64 bits of what is stored in it, whatever the type of
 * its first value: scripts begin with = 0 and store a timestamp later.  The
 * type counts where the value is printed.
 * @@args: -q
 */
unsigned char small;
signed char minus;

BEGIN
{
	g = 0;
	self->t = 0;
	this->l = 0;
	a[1] = 0;
	self->b["k"] = 0;
	g = 0x123456789a;
	self->t = 0x223456789a;
	this->l = 0x323456789a;
	a[1] = 0x423456789a;
	self->b["k"] = 0x523456789a;
	printf("%d %d %d %d %d\n", g == 0x123456789a,
	    self->t == 0x223456789a, this->l == 0x323456789a,
	    a[1] == 0x423456789a, self->b["k"] == 0x523456789a);
	g += 0x1000000000;
	a[1] += 0x1000000000;
	printf("%d %d\n", g == 0x223456789a, a[1] == 0x523456789a);
	printf("%x %x %d\n", g, a[1], sizeof (g));
	printf("%x %x\n", (int)g, g + 0L);
	printf("%d\n", (g ? g : 0) == 0x223456789a);
	a[g] = 7;
	printf("%d %d\n", a[0x223456789a], a[0x3456789a]);
	small = 300;
	printf("%d %d %d %d\n", small, small == 300, (unsigned char)small,
	    small++ == 300);
	minus = 200;
	printf("%d %d %d %d\n", minus, minus == 200, (signed char)minus,
	    minus < 0);
	exit(0);
}

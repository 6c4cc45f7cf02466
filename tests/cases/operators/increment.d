/*
 * ++ and -- come before and after.
 * @@args: -q
 */
BEGIN
{
	x = 5;
	printf("%d\n", x++);
	printf("%d\n", x);
	printf("%d\n", ++x);
	printf("%d\n", x--);
	printf("%d\n", --x);
	this->t = 1;
	this->t++;
	++this->t;
	printf("%d\n", this->t);
	self->s++;
	self->s++;
	printf("%d\n", self->s);
	m["k"]++;
	m["k"]++;
	m["k"]--;
	printf("%d\n", m["k"]);
	exit(0);
}

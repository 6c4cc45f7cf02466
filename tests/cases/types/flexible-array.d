/*
 * A member without a size is where its elements are; names of D's own keywords.
 * @@args: -q
 */
struct s {
	int counter;
	char probe;
	int n;
	char raw[];
};

BEGIN
{
	this->p = (struct s *)"abcdefghijklmnop";
	x = this->p->raw;
	printf("%d %c %c %c\n", sizeof (struct s), this->p->raw[0],
	    *(this->p->raw + 2), x[3]);
	printf("%s %c\n", stringof(this->p->raw), this->p->probe);
	exit(0);
}

/*
 * / of unsigned operands is unsigned.
 * @@args: -q
 */
BEGIN
{
	this->u = (unsigned long)-8;
	this->v = (unsigned long)3;
	printf("%lu\n", this->u / this->v);
	printf("%lu\n", this->u % this->v);
	exit(0);
}

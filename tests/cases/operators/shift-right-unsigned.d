/*
 * >> of an unsigned number brings in zeros.
 * @@args: -q
 */
BEGIN
{
	this->u = (unsigned long)-1;
	this->n = 60;
	printf("%lu\n", this->u >> this->n);
	printf("%lu\n", this->u >> 63);
	printf("%lu\n", 0xf0UL >> 4);
	exit(0);
}

/*
 * The most negative number divided by -1 stays itself.
 * @@args: -q
 */
BEGIN
{
	this->m = (long)0x8000000000000000;
	this->n = (long)-1;
	printf("%ld\n", this->m / this->n);
	printf("%ld\n", this->m % this->n);
	exit(0);
}

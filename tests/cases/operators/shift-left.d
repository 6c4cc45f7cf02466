/*
 * << shifts left, in 64 bits.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	this->n = 40;
	this->l = (long)3;
	printf("%ld\n", this->l << this->n);
	printf("%ld\n", this->l << 0);
	printf("%ld\n", (long)1 << 62);
	exit(0);
}

/*
 * Arithmetic is done in 64 bits; the type decides at the store.
 * @@args: -q
 */
BEGIN
{
	this->i = 2147483647;
	this->u = (unsigned)4294967295;
	this->l = (long)2147483647;
	printf("%ld\n", this->l + 1);
	printf("%ld\n", (long)this->u + 1);
	printf("%ld\n", (int)(this->i + 1));
	exit(0);
}

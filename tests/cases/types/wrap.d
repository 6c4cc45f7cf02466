/*
 * 64-bit arithmetic wraps.
 * @@args: -q
 */
BEGIN
{
	this->m = 0x7fffffffffffffff;
	this->u = (uint64_t)0xffffffffffffffff;
	printf("%d\n", this->m + 1 == (long)0x8000000000000000);
	printf("%d\n", this->u + 1);
	printf("%d\n", this->u * this->u);
	exit(0);
}

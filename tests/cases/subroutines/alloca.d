/*
 * alloca gives memory of the clause, aligned to 8 bytes and zero.
 * @@args: -q
 */
BEGIN
{
	this->a = (char *)alloca(3);
	this->b = (int *)alloca(8);
	printf("%d %d\n", (uint64_t)this->a % 8, (uint64_t)this->b % 8);
	printf("%d %d %d\n", this->a[2], this->b[0], this->b[1]);
	this->a[2] = 'x';
	this->b[1] = 7;
	printf("%c %d %d\n", this->a[2], this->b[0], this->b[1]);
	exit(0);
}

/*
 * ~ inverts every bit.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", ~this->a);
	printf("%d\n", ~this->b);
	printf("%d\n", ~0);
	exit(0);
}

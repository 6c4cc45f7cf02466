/*
 * | joins bits.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a | 8);
	printf("%d\n", this->b | 1);
	printf("%d\n", 12 | 3);
	exit(0);
}

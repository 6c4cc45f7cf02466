/*
 * ^ takes the differing bits.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a ^ 2);
	printf("%d\n", this->b ^ -1);
	printf("%d\n", 12 ^ 10);
	exit(0);
}

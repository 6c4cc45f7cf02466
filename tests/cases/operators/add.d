/*
 * + adds, also negative numbers and constants.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a + this->b);
	printf("%d\n", this->a + 1);
	printf("%d\n", this->b + this->b);
	printf("%d\n", 1 + 2);
	exit(0);
}

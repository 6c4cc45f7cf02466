/*
 * * multiplies.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a * this->b);
	printf("%d\n", this->b * this->b);
	printf("%d\n", 6 * 7);
	exit(0);
}

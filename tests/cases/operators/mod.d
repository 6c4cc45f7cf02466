/*
 * % takes the sign of the dividend.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a % this->b);
	printf("%d\n", this->b % 2);
	printf("%d\n", -7 % 3);
	printf("%d\n", 7 % 3);
	exit(0);
}

/*
 * / truncates toward zero.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a / this->b);
	printf("%d\n", this->a / 2);
	printf("%d\n", -7 / 2);
	printf("%d\n", this->b / 2);
	printf("%d\n", this->z / 5);
	exit(0);
}

/*
 * == and != compare numbers of any sign.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a == 7);
	printf("%d\n", this->a != 7);
	printf("%d\n", this->b == -3);
	printf("%d\n", this->b != 3);
	printf("%d\n", this->z == 0);
	exit(0);
}

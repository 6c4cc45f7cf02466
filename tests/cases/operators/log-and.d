/*
 * && gives 0 or 1.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a && this->b);
	printf("%d\n", this->a && this->z);
	printf("%d\n", this->z && this->a);
	printf("%d\n", 2 && 3);
	exit(0);
}

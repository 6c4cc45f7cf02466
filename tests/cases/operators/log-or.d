/*
 * || gives 0 or 1.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a || this->z);
	printf("%d\n", this->z || this->b);
	printf("%d\n", this->z || 0);
	printf("%d\n", 0 || 5);
	exit(0);
}

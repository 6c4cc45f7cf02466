/*
 * >> of a signed number keeps its sign.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	this->n = 1;
	printf("%d\n", this->b >> this->n);
	printf("%d\n", -16 >> 2);
	printf("%d\n", this->a >> 1);
	exit(0);
}

/*
 * ^^ is true when exactly one side is.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a ^^ this->z);
	printf("%d\n", this->a ^^ this->b);
	printf("%d\n", this->z ^^ this->z);
	printf("%d\n", 0 ^^ 2);
	exit(0);
}

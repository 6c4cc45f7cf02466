/*
 * ?: chooses, and associates to the right.
 * @@args: -q
 */
BEGIN
{
	this->a = 7;
	this->b = -3;
	this->z = 0;
	printf("%d\n", this->a ? 1 : 2);
	printf("%d\n", this->z ? 1 : 2);
	printf("%d\n", this->z ? 1 : this->a ? 3 : 4);
	printf("%d\n", this->a > 5 ? this->a : this->b);
	printf("%d\n", 1 ? 10 : 20);
	exit(0);
}

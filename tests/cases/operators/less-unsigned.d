/*
 * One unsigned long operand makes the comparison unsigned.
 * @@args: -q
 */
BEGIN
{
	this->u = (unsigned long)-1;
	this->i = -1;
	this->one = (unsigned long)1;
	printf("%d\n", this->u > this->one);
	printf("%d\n", this->i > this->one);
	printf("%d\n", this->i < this->one);
	printf("%d\n", this->one <= this->u);
	printf("%d\n", this->u >= this->one);
	printf("%d\n", this->u < this->one);
	exit(0);
}

/*
 * Signed comparison is right even where the difference overflows.
 * @@args: -q
 */
BEGIN
{
	this->min = (long)0x8000000000000000;
	this->max = (long)0x7fffffffffffffff;
	this->one = (long)1;
	printf("%d\n", this->min < this->one);
	printf("%d\n", this->min > this->one);
	printf("%d\n", this->max > this->min);
	printf("%d\n", this->max < this->min);
	printf("%d\n", this->min <= this->max);
	printf("%d\n", this->min >= this->max);
	exit(0);
}

/*
 * timestamp stands still within a firing and then goes on.
 * @@args: -q
 */
BEGIN
{
	this->a = timestamp;
	this->b = timestamp;
	printf("%d\n", this->a == this->b);
	first = timestamp;
}

BEGIN
{
	printf("%d\n", this->a == timestamp);
	exit(0);
}

END
{
	printf("%d %d\n", timestamp > first, timestamp - first < 60000000000);
}

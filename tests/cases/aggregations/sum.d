/*
 * sum() adds up, also negative numbers.
 * @@args: -q
 */
BEGIN
{
	@ = sum(5);
	@ = sum(-8);
	@ = sum(1);
	exit(0);
}

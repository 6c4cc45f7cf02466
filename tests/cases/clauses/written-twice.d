/*
 * A description that is written twice enables the clause twice.
 * @@args: -q
 */
BEGIN, BEGIN, BEGIN
{
	printf("%d\n", ++n);
	@[n] = count();
}

BEGIN
{
	printa("%d: %@d\n", @);
	exit(0);
}

/*
 * Values of aggregations may be times.
 * @@args: -q
 */
BEGIN
{
	@["key"] = max(1500000000000000000);
	printa("%s %@T\n", @);
	printa("%s %@Y|%@26Y\n", @);
	exit(0);
}

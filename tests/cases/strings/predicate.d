/*
 * A predicate may compare strings.
 * @@args: -q
 */
BEGIN
/execname == "nobody-is-called-so"/
{
	printf("wrong\n");
}

BEGIN
/probename == "BEGIN" && probeprov == "dtrace"/
{
	printf("right\n");
	exit(0);
}

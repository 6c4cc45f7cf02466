/*
 * A probe that several descriptions of a clause match fires it once.
 * @@args: -q
 */
BEGIN, dtrace:::BEGIN, dtrace:::B*
{
	printf("once\n");
}

BEGIN { exit(0); }

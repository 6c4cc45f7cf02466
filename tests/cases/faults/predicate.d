/*
 * A fault in a predicate is reported as such, and its clause does not run.
 * @@args: -q
 */
int x;

BEGIN
/(1 / x) == 0/
{
	printf("never\n");
}

BEGIN { x = 0; exit(0); }

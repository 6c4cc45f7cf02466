/*
 * A clause may name several probes.
 * @@args: -q
 */
BEGIN, END
{
	printf("%s\n", probename);
}

BEGIN { exit(0); }

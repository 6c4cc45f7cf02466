/*
 * A script runs by its #! line, with macro arguments.
 */
BEGIN
{
	printf("%d %s %s\n", $1, $$2, probename);
	exit(0);
}

/*
 * The first argument of openat() is no path: the fault tells what it is.
 * @@needs: cmd:cat
 */
BEGIN
{
	exit(0);
}

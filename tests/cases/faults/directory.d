/*
 * The first argument of the *at calls is the descriptor of a directory: the
 * hint comes once, and not for calls whose first argument is a string.
 * @@needs: cmd:python3
 */
BEGIN
{
	exit(0);
}

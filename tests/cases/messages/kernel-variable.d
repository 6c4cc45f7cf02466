/*
 * A name that the kernel lacks is mostly a variable's: a function that merely
 * looks like it is not suggested, but one with a single mistake is.
 */
BEGIN
{
	exit(0);
}

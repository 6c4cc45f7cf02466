/*
 * A function that is not there yet is refused by name.
 */
BEGIN
{
	uaddr(0);
}

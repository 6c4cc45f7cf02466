/*
 * A function that does not exist.
 */
BEGIN
{
	nosuchfunction(1);
}

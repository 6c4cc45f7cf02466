/*
 * A string longer than its columns is printed whole.
 */
BEGIN
{
	trace("0123456789012345678901234567890123456789");
	trace(1);
	exit(0);
}

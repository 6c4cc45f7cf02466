/*
 * trunc() takes arguments.
 */
BEGIN
{
	trunc();
}

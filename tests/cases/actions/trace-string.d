/*
 * trace() of a string fills 33 columns.
 */
BEGIN
{
	trace("hello");
	trace(probename);
	trace("");
	exit(0);
}

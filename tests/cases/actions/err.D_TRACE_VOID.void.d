/*
 * trace() of nothing.
 */
BEGIN
{
	trace((void)1);
}

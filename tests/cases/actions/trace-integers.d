/*
 * trace() of an integer has a width by its size.
 */
BEGIN
{
	trace((int64_t)1);
	trace((int)-2);
	trace((short)3);
	trace((char)4);
}

BEGIN
{
	trace(5);
	trace(timestamp > 0);
	trace(-1L);
	exit(0);
}

/*
 * An argument that nobody uses.
 * @@operands: 1 2
 */
BEGIN
{
	trace($1);
}

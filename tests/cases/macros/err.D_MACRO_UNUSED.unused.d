/*
 * An argument that the script does not use.
 * @@operands: 1 2
 */
BEGIN
{
	trace($1);
}

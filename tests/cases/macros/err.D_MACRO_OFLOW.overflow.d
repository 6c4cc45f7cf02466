/*
 * A macro argument's number has its limits.
 * @@operands: 99999999999999999999
 */
BEGIN
{
	trace($1);
}

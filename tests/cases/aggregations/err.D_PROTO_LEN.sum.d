/*
 * sum() takes an argument.
 */
BEGIN
{
	@ = sum();
}

/*
 * normalize() takes two arguments.
 */
BEGIN
{
	@ = count();
	normalize(@);
}

/*
 * normalize()'s factor is a number.
 */
BEGIN
{
	@ = count();
	normalize(@, "a");
}

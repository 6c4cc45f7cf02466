/*
 * trunc()'s number is a number.
 */
BEGIN
{
	@ = count();
	trunc(@, "a");
}

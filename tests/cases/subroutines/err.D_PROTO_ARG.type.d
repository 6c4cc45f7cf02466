/*
 * An argument must have the parameter's type.
 */
BEGIN
{
	x = strlen(12);
}

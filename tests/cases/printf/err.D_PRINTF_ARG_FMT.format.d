/*
 * The format is a string constant.
 */
BEGIN
{
	printf(probename);
}

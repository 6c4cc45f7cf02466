/*
 * The format is not empty.
 */
BEGIN
{
	printf("");
}

/*
 * There are no loops.
 */
BEGIN
{
	while (1) x++;
}

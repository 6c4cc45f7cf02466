/*
 * * takes no pointer to void.
 */
BEGIN
{
	x = *(void *)arg0;
}

/*
 * Characters without a meaning are refused.
 */
BEGIN
{
	x = 1 \ 2;
}

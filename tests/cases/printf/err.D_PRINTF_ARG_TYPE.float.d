/*
 * %f prints floating point data.
 */
BEGIN
{
	printf("%f\n", 1);
}

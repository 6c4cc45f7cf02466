/*
 * Other functions do not aggregate.
 */
BEGIN
{
	@ = rand();
}

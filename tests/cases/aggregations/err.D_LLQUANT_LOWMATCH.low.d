/*
 * llquantize(): one low per aggregation.
 */
BEGIN
{
	@ = llquantize(1, 10, 0, 6, 10);
	@ = llquantize(1, 10, 1, 6, 10);
}

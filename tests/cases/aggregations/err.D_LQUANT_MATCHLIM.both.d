/*
 * Of a limit and a step that differ the limit is told.
 * @@needs: nothing
 */
BEGIN
{
	@ = lquantize(1, 0, 10, 1);
	@ = lquantize(1, 0, 12, 2);
}

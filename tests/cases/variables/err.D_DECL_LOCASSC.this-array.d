/*
 * No associative array is declared clause-local.
 */
this int m[int];
BEGIN
{
	trace(1);
}

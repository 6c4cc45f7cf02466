/*
 * print() follows types, and a symbol has none.
 * @@needs: nothing
 */
BEGIN
{
	print(sym(1));
}

/*
 * A name is declared with one type.
 */
int x;
string x;
BEGIN
{
	trace(1);
}

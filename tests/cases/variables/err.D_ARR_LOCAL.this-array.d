/*
 * There are no clause-local associative arrays.
 */
BEGIN
{
	this->m[1] = 2;
}

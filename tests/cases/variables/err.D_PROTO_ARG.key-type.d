/*
 * A key's components keep their types.
 */
BEGIN
{
	m[1] = 3;
	m["a"] = 4;
}

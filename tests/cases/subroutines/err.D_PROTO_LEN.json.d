/*
 * json needs a path.
 */
BEGIN
{
	trace(json("{}"));
}

/*
 * Strings live in the string table and are compared by scmp.
 */
BEGIN
/execname == "ls"/
{
	trace("text");
}

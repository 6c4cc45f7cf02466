/*
 * errtags shows the tag of a message, which has its place and a caret.
 * @@needs: nothing
 */
BEGIN
{
	trace(nosuch);
}

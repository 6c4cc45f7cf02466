/*
 * A message has its place, its tag and a caret; errtags=off hides the tag.
 * @@needs: nothing
 */
BEGIN
{
	trace(nosuch);
}

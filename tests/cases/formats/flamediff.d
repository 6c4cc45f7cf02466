/*
 * Option flamediff colours the frames of a flame graph by how their shares
 * have changed since another run: a recording, or a file of oformat=folded.
 */
BEGIN
{
	@cpu["a", "b"] = sum(10);
	@cpu["a", "c"] = sum(20);
	@cpu["a", "d"] = sum(10);
	@cpu["new", "n"] = sum(10);
	@cpu["same", "s"] = sum(50);
	exit(0);
}

/*
 * A predicate is an object of its own, a comparison that gives 0 or 1.
 */
BEGIN
/pid == 1/
{
	trace(tid);
}

/*
 * A predicate is a number or a pointer.
 */
BEGIN
/"abc"/
{
	trace(1);
}

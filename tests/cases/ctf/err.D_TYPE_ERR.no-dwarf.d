/*
 * A program without debug information has no types to offer.
 * @@args: -c /bin/true
 */
BEGIN
{
	trace(sizeof (struct a.out`anything));
}

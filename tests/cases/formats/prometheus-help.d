/*
 * The help of a metric is the comment before the statement, or the clause, that
 * uses the aggregation first; it is one line, whatever is in it.
 */

/* System calls, "all" of \them:
 *	by	program; é
 *
 * and a control character:  */
BEGIN
{
	@calls["x"] = count();
	/* The sizes. */
	@sizes = quantize(1);
	@after = sum(1); /* not of the next */
	@next = sum(2);
	/* not of this one */

	@apart = sum(3);
	/***/
	@stars = sum(4);
}

/* Of the second clause. */
BEGIN
/1/
{
	@calls["y"] = count();
	@second = max(1);
}

/* Not of this clause. */

BEGIN
{
	@third = max(1);
	exit(0);
}

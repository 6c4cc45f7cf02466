/*
 * With -x errtags the first line of errors has the form of other DTraces.
 * @@needs: nothing
 */
BEGIN
{
	trace(nosuch);
	trace(neither);
}

/*
 * Bytes that are no UTF-8, or control characters in it, are dumped as before.
 * @@args: -q -x strsize=8
 */
BEGIN
{
	trace("\303(");
	trace("\302\205");
	trace("\355\240\200");
	exit(0);
}

/*
 * With -q trace() prints the bare value.
 * @@args: -q
 */
BEGIN
{
	trace(1);
	trace("-");
	trace((char)2);
	trace("-");
	trace(-3L);
	trace("\n");
	exit(0);
}

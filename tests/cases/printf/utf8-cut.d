/*
 * A character that strsize cuts is left out.
 * @@args: -q -x strsize=4
 */
BEGIN
{
	x = "abcé";
	trace(x);
	exit(0);
}

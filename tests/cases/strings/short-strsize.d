/*
 * Short strings are keys like long ones, cut at strsize.
 * @@args: -q -x strsize=8
 */
BEGIN
{
	x = strjoin("abcdefgh", "ij");
	@[x, 1] = count();
	printa("%s %d %@d\n", @);
	exit(0);
}

/*
 * Strings are cut to strsize, their terminator included.
 * @@args: -q -x strsize=8
 */
BEGIN
{
	s = "abcdefghijkl";
	printf("%s %d\n", s, strlen(s));
	t = strjoin("abcd", "efghijk");
	printf("%s\n", t);
	exit(0);
}

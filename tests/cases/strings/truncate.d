/*
 * Strings are cut to strsize characters.
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

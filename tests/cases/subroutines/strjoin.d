/*
 * strjoin puts two strings together.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", strjoin("ab", "cd"));
	printf("[%s]\n", strjoin("", "x"));
	printf("[%s]\n", strjoin("x", ""));
	printf("[%s]\n", strjoin("", ""));
	printf("[%s]\n", strjoin(strjoin("a", "b"), strjoin("c", "d")));
	printf("[%s]\n", strjoin(probename, probeprov));
	exit(0);
}

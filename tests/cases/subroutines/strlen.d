/*
 * strlen counts bytes, at most strsize - 1.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", strlen(""));
	printf("%d\n", strlen("abc"));
	printf("%d\n", strlen(probename));
	printf("%d\n", strlen(strjoin("ab", "cd")));
	exit(0);
}

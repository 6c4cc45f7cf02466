/*
 * An unset string is the empty string.
 * @@args: -q
 */
string s;
BEGIN
{
	printf("[%s]\n", s);
	printf("%d\n", s == "");
	s = "x";
	printf("%d\n", s == "");
	s = "";
	printf("[%s] %d\n", s, strlen(s));
	exit(0);
}

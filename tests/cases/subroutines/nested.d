/*
 * Calls nest, as arguments of each other and in keys.
 * @@args: -q
 */
BEGIN
{
	m[strjoin("k", lltostr(-2))] = "v";
	printf("[%s]\n", substr(strjoin("abc", basename("/x/def")), 1, 4));
	printf("[%s]\n", strjoin(lltostr(1), strjoin("-", lltostr(2))));
	printf("[%s]\n", strjoin(dirname("/a/b"), substr("xyz", strlen("a"))));
	printf("[%s]\n", m["k-1"]);
	printf("[%s]\n", m[strjoin("k-", lltostr(2))]);
	exit(0);
}

/*
 * cleanpath removes needless parts of a path, by its text alone.
 * @@args: -q
 */
BEGIN
{
	printf("%s\n", cleanpath("/usr//share/./doc"));
	printf("%s\n", cleanpath("/usr/share/../lib/x/../../bin"));
	printf("%s\n", cleanpath("/../../etc"));
	printf("%s\n", cleanpath("/usr/lib/"));
	printf("%s\n", cleanpath("/usr/lib/.."));
	printf("%s\n", cleanpath("/.."));
	printf("%s\n", cleanpath("//"));
	printf("%s\n", cleanpath("a/../b"));
	printf("%s\n", cleanpath("../a"));
	printf("%s\n", cleanpath("a/.."));
	printf("[%s]\n", cleanpath(""));
	printf("[%s]\n", cleanpath(NULL));
	printf("%s\n", cleanpath("/.profile/..x"));
	exit(0);
}

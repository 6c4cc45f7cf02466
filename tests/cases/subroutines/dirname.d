/*
 * dirname is that of dirname(3).
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", dirname("/usr/bin/env"));
	printf("[%s]\n", dirname("env"));
	printf("[%s]\n", dirname("/usr/lib/"));
	printf("[%s]\n", dirname("/"));
	printf("[%s]\n", dirname("/usr"));
	printf("[%s]\n", dirname(""));
	printf("[%s]\n", dirname("a/b"));
	printf("[%s]\n", dirname("a//b"));
	exit(0);
}

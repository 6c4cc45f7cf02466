/*
 * basename is that of basename(3).
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", basename("/usr/bin/env"));
	printf("[%s]\n", basename("env"));
	printf("[%s]\n", basename("/usr/lib/"));
	printf("[%s]\n", basename("/"));
	printf("[%s]\n", basename("//"));
	printf("[%s]\n", basename(""));
	printf("[%s]\n", basename("a//b//"));
	printf("[%s]\n", basename("."));
	printf("[%s]\n", basename(".."));
	exit(0);
}

#!/usr/sbin/dtrace -s
/*
 * str-paths.d: basename(), dirname() and cleanpath() of paths of every shape
 * are those of the programs of that name.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: [l.split("|")[:2] for l in lines[:6]] == [os.popen(f"basename {p};
 *     dirname {p}").read().split() for p in ("/usr/lib/libc.so", "/usr/lib/",
 *     "name", "/", "./a/b", "/etc")]
 * @@check: [l.split("|")[2] for l in lines[6:10]] == [os.path.normpath(p) for
 *     p in ("/a/./b", "/a/b/../c", "/a//b///c", "/../x")]
 */

#pragma D option quiet

BEGIN
{
	printf("%s|%s\n", basename("/usr/lib/libc.so"),
	    dirname("/usr/lib/libc.so"));
	printf("%s|%s\n", basename("/usr/lib/"), dirname("/usr/lib/"));
	printf("%s|%s\n", basename("name"), dirname("name"));
	printf("%s|%s\n", basename("/"), dirname("/"));
	printf("%s|%s\n", basename("./a/b"), dirname("./a/b"));
	printf("%s|%s\n", basename("/etc"), dirname("/etc"));
	printf("clean||%s\n", cleanpath("/a/./b"));
	printf("clean||%s\n", cleanpath("/a/b/../c"));
	printf("clean||%s\n", cleanpath("/a//b///c"));
	printf("clean||%s\n", cleanpath("/../x"));
	exit(0);
}

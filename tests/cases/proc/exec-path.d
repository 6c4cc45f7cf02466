/*
 * args[0] of exec is a string, the kernel's copy of the path: of a program that
 * runs, whose process has its old name yet where the kernel tells before, and
 * of a program that does not exist.
 * @@args: -q
 * @@run: /bin/sh -c "/bin/true; /nonexistent/known 2>/dev/null; exit 0"
 */
proc:::exec
/progenyof($target) && (args[0] == "/bin/true" || args[0] == "/nonexistent/known")/
{
	printf("%s\n", args[0]);
	self->path = args[0];
}

proc:::exec-success
/self->path != NULL/
{
	printf("%s success\n", self->path);
}

proc:::exec-failure
/self->path != NULL/
{
	printf("%s %d\n", self->path, args[0]);
}

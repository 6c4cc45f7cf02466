/*
 * Strings are recorded of the firings that are: a predicate that is false keeps
 * the strings of its firing away, too.
 * @@needs: cmd:cat
 */
syscall::openat:entry
/execname == "cat"/
{
	printf("%s\n", copyinstr(arg1));
}

/*
 * A string keeps as many characters as strsize says, however it came about.
 * @@args: -q -x strsize=3
 */
BEGIN
{
	global = "abcdef";
	self->s = "abcdef";
	this->s = "abcdef";
	a[1] = "abcdef";
	printf("%s %s %s %s\n", global, self->s, this->s, a[1]);
	printf("%s %s %s\n", toupper("abcdef"), strjoin("ab", "cdef"),
	    substr("abcdef", 0));
	printf("%s %s %s\n", strtok("abcdef", "/"), basename("abcdef"),
	    lltostr(123456));
	printf("%d %d\n", strlen("abcdef"), strlen(global));
	printf("%d %d\n", sizeof (string), global == "abc");
	@[strjoin("ab", "cdef")] = count();
	printa("%s %@d\n", @);
	exit(0);
}

/*
 * A program that is not there: exec, and exec-failure with the reason.
 * @@args: -q
 * @@run: /bin/sh -c "x=/nonexistent/known; [ -x $$x ] || exec $$x 2>/dev/null"
 */
proc:::exec
/pid == $target/
{
	self->path = args[0];
}

proc:::exec-failure
/self->path != NULL/
{
	printf("%s %d\n", stringof(self->path), args[0]);
}

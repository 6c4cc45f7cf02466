/*
 * -x debug and DTRACE_DEBUG log to standard error, in order, what is done and
 * when; without them there is no log, and -x debug=off ends it.
 */
BEGIN
{
	trace(ENOENT);
	exit(4);
}

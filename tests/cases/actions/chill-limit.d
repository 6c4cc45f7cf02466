/*
 * chill() is refused beyond 500 milliseconds of a second on one CPU: at once
 * or in pieces.
 * @@args: -q -w
 */
BEGIN { chill(500000001); trace("not reached"); }
BEGIN { chill(-1); trace("not reached"); }

BEGIN
{
	t = timestamp;
	chill(200000000);
	chill(300000000);
	spent = timestamp - t;
	chill(1);
	trace("not reached");
}

BEGIN { printf("%d\n", spent >= 500000000); exit(0); }
ERROR { printf("error %d %d in action %d\n", arg4, arg5, arg2); }

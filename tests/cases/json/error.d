/*
 * A fault is an object in the output, in its place; standard error has none.
 */
BEGIN
{
	trace(1);
	trace(*(int *)8);
}

BEGIN
/pid % (pid - pid)/
{
}

BEGIN { exit(0); }

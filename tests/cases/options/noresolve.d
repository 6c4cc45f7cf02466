/*
 * With noresolve, addresses of the kernel stay numbers; it can change while
 * tracing.
 */
profile-997 /arg0 && !n++/
{
	stack(1);
	printf("%a\n", arg0);
	setopt("noresolve", "off");
	stack(1);
	exit(0);
}

/*
 * --dump=dof prints a program as it would be saved.
 * @@args: -q -e --dump=dof
 */
int x;

syscall::read:entry,
syscall::write:entry
/execname == "nosuch"/
{
	@bytes[probefunc, pid] = quantize(arg2, 3);
	self->t = timestamp;
}

BEGIN
{
	x++;
	if (x == 1) {
		printf("%d %s\n", x, "one");
	} else {
		trace(x);
	}
	exit(0);
}

END
{
	normalize(@bytes, 10);
	printa("%s %d %@d", @bytes);
	stack(3);
}

ERROR
{
}

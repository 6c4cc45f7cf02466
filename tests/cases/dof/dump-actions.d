/*
 * Actions with formats, data and effects as DOF.
 * @@args: -q -e --dump=dof
 */
#pragma D option bufsize=64k
#pragma D option aggrate=2s
#pragma D option droptags

struct point {
	int x, y;
};
struct point p;

BEGIN
{
	printf("%d %s %k\n", 1, "two", stack(3));
	printf("nothing\n");
	system("echo %s", execname);
	freopen("%s.log", "x");
	freopen("");
	ftruncate();
	setopt("quiet", "no");
	tracemem(&`vfs_read, 16);
	p.x = 1;
	print(p);
	raise(10);
	exit(1);
}

ERROR
{
	trace(arg4);
}

/*
 * What a constant condition leaves out is not checked: it may use what only
 * another option provides.  An aggregation may stand in ?: as other actions do.
 * @@args: -q
 */
inline int OPT_on = 1;
inline int OPT_off = 0;

BEGIN
{
	OPT_off ? printf("%s\n", nosuch) : 1;
	OPT_on ? printf("on\n") : 1;
	OPT_on ? 1 : printf("%d\n", self->never);
	OPT_on ? @a["on"] = count() : 1;
	OPT_off ? @b[nosuch] = count() : 1;
	OPT_off ? @c = sum(1) : (@c = max(7));
	x = OPT_off ? nosuch + 1 : 5;
	y = OPT_on ? "text" : 3;
	if (OPT_off) {
		printf("%d\n", nosuch());
	} else {
		printf("%d %s %d\n", x, y, OPT_on ? 1 : sizeof (struct nosuch));
		if (x == 5) {
			printf("five\n");
		}
	}
	printf("after\n");
	x == 5 ? @d = count() : (@d = count());
	if (1 == 2) {
		exit(nosuch);
	}
	printa("%s %@d\n", @a);
	printa("%@d\n", @c);
	printa("%@d\n", @d);
	exit(0);
}

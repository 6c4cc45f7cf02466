/*
 * Actions chosen by ?: run as those of an if.
 * @@args: -q
 */
inline int OPT_time = 1;
inline int OPT_zone = 0;

BEGIN
{
	OPT_time ? printf("%-8s", "TIME") : 1;
	OPT_zone ? printf("%-8s", "ZONE") : 1;
	0 ? printf("never") : printf("%5s\n", "PID");
	x = 2;
	x == 1 ? trace("one\n") : x == 2 ? trace("two\n") : trace("many\n");
	printf("last\n");
	exit(x > 1 ? 0 : 1);
}

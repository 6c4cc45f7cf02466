/*
 * A clause of ERROR and another probe runs for a fault as ERROR: its name, its
 * id and its EPID are those of ERROR.
 * @@args: -q
 */
int first, mine;

BEGIN, ERROR
{
	printf("%s %d %d\n", probename, id == first, epid == mine);
	first = id;
	mine = epid;
}

BEGIN
{
	trace(*(int *)0);
}

ERROR
{
	printf("%s %d\n", probename, id == first);
	exit(0);
}

/*
 * More is dropped than the largest bufsize holds: no value is named that dtrace
 * would refuse.
 * @@needs: prog:known cmd:taskset
 */
BEGIN
{
	exit(0);
}

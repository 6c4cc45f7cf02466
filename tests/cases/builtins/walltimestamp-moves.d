/*
 * walltimestamp is read anew each time; timestamp is one for a firing.
 * @@args: -q
 */
BEGIN
{
	this->wall = walltimestamp;
	this->time = timestamp;
	this->text = strjoin(strjoin("some", "work"), "meanwhile");
	printf("%d %d\n", walltimestamp > this->wall, timestamp > this->time);
	exit(0);
}

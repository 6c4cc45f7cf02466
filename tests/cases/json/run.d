/*
 * A run has a start and an end, and no command writes between the lines, also
 * if the script's pragma alone says that they are JSON.
 * @@needs: bits32
 */
#pragma D option oformat=json
#pragma D option destructive
#pragma D option quiet

BEGIN
{
	system("echo by system");
}

BEGIN
{
	trace(*(int *)0);
}

syscall::write:entry
/pid == $target && arg0 == 1/
{
	@ = count();
}

END
{
	exit(7);
}

/*
 * ustackdepth and ucaller are an error in a file that no process had mapped
 * before, not a wrong number, and right as soon as dtrace has read it.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newdepth"/
{
	printf("depth %d of %d\n", ustackdepth, arg2);
}

syscall::getpriority:entry
/arg0 == 0x7001 && execname == "newdepth"/
{
	printf("caller %d\n", ucaller == arg1);
}

ERROR
{
	printf("error %d\n", arg4);
}

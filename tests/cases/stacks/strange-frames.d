/*
 * Stacks lead through signal handlers, onto a stack of their own, too, and
 * through the vdso.
 * @@needs: prog:frames
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	base = ustackdepth;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 > 1/
{
	printf("%d %d\n", arg1, ustackdepth - base);
}

syscall::clock_gettime:entry
/pid == $target && arg0 == 2/
{
	printf("vdso %d\n", ustackdepth - base);
}

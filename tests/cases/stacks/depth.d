/*
 * ustackdepth counts every frame of a program without frame pointers; ucaller
 * is the return address of the function that the thread is in.
 * @@needs: prog:chain
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d", ustackdepth - arg2, ucaller == arg1);
}

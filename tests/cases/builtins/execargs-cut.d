/*
 * execargs holds at most strsize bytes, like every string.
 * @@args: -q -x strsize=8
 * @@needs: kernel prog:known
 * @@run: bash -c "exec -a abcdefghijkl $PROGS/known args"
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%s %d\n", execargs, strlen(execargs));
}

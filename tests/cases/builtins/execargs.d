/*
 * execargs is the command line of the process, its arguments joined by blanks.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args "sleep:1 two words" sleep:2
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%s\n", strstr(execargs, "known "));
}

/*
 * A signal that sigtimedwait() takes is cleared.
 * @@args: -q
 * @@needs: prog:signals
 * @@run: $PROGS/signals wait
 */
proc:::signal-clear
/pid == $target/
{
	printf("%s %d\n", probename, args[0]);
}

/*
 * progenyof is true for the process itself and its ancestors, and for no
 * others.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d %d %d %d\n", progenyof(pid), progenyof($target),
	    progenyof($pid), progenyof(1), progenyof(999999999));
}

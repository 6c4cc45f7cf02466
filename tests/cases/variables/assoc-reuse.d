/*
 * Freed elements are used again: no dynamic drops after many of them.
 * @@args: -q -x dynvarsize=64k
 * @@needs: prog:known
 * @@run: $PROGS/known seq:50000
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	m[arg1] = arg1 + 1;
	n += m[arg1] == arg1 + 1;
	m[arg1] = 0;
}

END { printf("%d\n", n); }

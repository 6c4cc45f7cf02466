/*
 * Every faulting firing is reported; the process goes on unharmed.
 * @@args: -x allfaults -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	n++;
	trace(*(int *)arg1);
}

END { printf("%d\n", n); }

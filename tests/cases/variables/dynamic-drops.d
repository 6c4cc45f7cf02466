/*
 * Without room for a variable the store is dropped and told.
 * @@args: -q -x dynvarsize=64k
 * @@needs: prog:known
 * @@run: $PROGS/known seq:50000
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	m[arg1] = 1;
}

END { printf("%d\n", m[49999] == 1 || m[49999] == 0); }

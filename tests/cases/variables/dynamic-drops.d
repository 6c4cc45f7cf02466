/*
 * Without room for a variable the store is dropped and told, and the others
 * stay.
 * @@args: -q -x dynvarsize=64k
 * @@needs: prog:known
 * @@run: $PROGS/known seq:5000
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	m[arg1] = 1;
	kept += m[arg1];
}

END { printf("%d %d\n", kept > 0, kept < 5000); }

/*
 * As many variables as dynvarsize has room for are kept.
 * @@args: -q -x dynvarsize=4m
 * @@needs: prog:known
 * @@run: $PROGS/known seq:20000
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	m[arg1] = 1;
	kept += m[arg1];
}

END { printf("%d\n", kept); }

/*
 * BEGIN's output comes first, END's last.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:10
 */
END { printf("last\n"); }

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d\n", arg1);
}

BEGIN { printf("first\n"); }

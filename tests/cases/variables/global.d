/*
 * A global starts at 0 and lives across clauses and firings.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:5
 */
int n;

BEGIN { n = n + 1; }
BEGIN { n = n + 1; }

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	n++;
}

END { printf("%d\n", n); }

/*
 * Keys may be any expressions.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:8
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[arg1 % 2 ? "odd" : "even",
	    strjoin("k", lltostr(arg1 / 4))] = sum(arg1);
}

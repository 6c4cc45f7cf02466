/*
 * Macro arguments expand inside probe descriptions.
 * @@args: -q
 * @@operands: getpriority entry 0x7001
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
syscall::$1:$2
/pid == $target && arg0 == $3/
{
	printf("%s\n", probefunc);
}

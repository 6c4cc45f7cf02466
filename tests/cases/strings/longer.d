/*
 * A larger strsize keeps longer strings.
 * @@args: -q -x strsize=512
 * @@needs: prog:known
 * @@run: $PROGS/known long
 */
syscall::access:entry
/pid == $target/
{
	printf("%d\n", strlen(copyinstr(arg0)));
}

/*
 * A string that is read from a program keeps as many characters as strsize
 * says.
 * @@args: -q -x strsize=100
 * @@needs: prog:known
 * @@run: $PROGS/known long
 */
syscall::access:entry
/pid == $target/
{
	printf("%d\n", strlen(copyinstr(arg0)));
}

/*
 * stringof turns bytes that are already here into a string.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known str
 */
syscall::access:entry
/pid == $target/
{
	this->p = (char *)copyin(arg0, 32);
	printf("%s\n", stringof(this->p));
	printf("%s\n", (string)this->p);
	printf("%d\n", stringof(this->p) == "/nonexistent/known path");
}

/*
 * Thread-locals hold strings.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known str
 */
syscall::access:entry
/pid == $target/
{
	self->path = copyinstr(arg0);
}

syscall::access:return
/self->path != NULL/
{
	printf("%s %d\n", self->path, errno);
	self->path = 0;
}

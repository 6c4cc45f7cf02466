/*
 * getf() is NULL for a number that is no open file of the process.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known good
 */
syscall::close:entry
/pid == $target && getf(-1) == NULL && getf(1 << 20) == NULL/
{
	self->closes = getf(arg0) != NULL;
	self->fd = arg0;
}

syscall::close:return
/self->closes && errno == 0/
{
	good = getf(self->fd) == NULL;
}

END { printf("%d\n", good); }

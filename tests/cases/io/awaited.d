/*
 * A thread that waits for one request, its own, is told for which: here on a
 * partition, and on a disk that cannot do it.
 * @@args: -q
 * @@needs: cmd:losetup cmd:addpart ksym:register_kprobe
 */
self uint64_t block, bytes;
self int flags;

io:::start
/progenyof($target) && args[1]->dev_statname == $$1/
{
	self->block = args[0]->b_blkno;
	self->bytes = args[0]->b_bcount;
	self->flags = args[0]->b_flags;
}

io:::wait-start
/self->bytes/
{
	waited = 1;
	@balance = sum(1);
	@bad = sum(args[0]->b_flags != self->flags || args[0]->b_error != 0);
}

io:::wait-done
/self->bytes/
{
	@balance = sum(-1);
	@bad = sum(args[0]->b_flags != (self->flags | B_DONE |
	    ($2 ? B_ERROR : 0)) || (args[0]->b_error != 0) != $2 ||
	    args[0]->b_resid != ($2 ? self->bytes : 0));
}

io:::wait-start, io:::wait-done
/self->bytes/
{
	@bad = sum(args[0]->b_blkno != self->block ||
	    args[0]->b_lblkno != self->block - $3 ||
	    args[0]->b_bcount != self->bytes ||
	    args[1]->dev_statname != $$1 || (self->flags & B_PHYS) == 0);
}

/* What else it waits for, files on a network for one, is not of the request. */
syscall::read:return, syscall::write:return
/self->bytes/
{
	self->bytes = 0;
}

END
{
	printf("%d\n", waited);
	printa("%@d\n", @balance);
	printa("%@d\n", @bad);
}

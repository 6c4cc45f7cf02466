/*
 * A thread waits for a lock of readers and writers, that of an inode, to write.
 * @@args: -q
 * @@needs: prog:kernel
 * @@run: $PROGS/kernel rwlock
 */
self struct rw_semaphore *lock;

syscall::pwrite64:entry
/pid == $target/
{
	self->lock = &getf(arg0)->f_inode->i_rwsem;
	self->start = timestamp;
}

lockstat:::rw-block
/args[0] == self->lock/
{
	printf("%s %d %d %d\n", probename, args[2] == RW_WRITER,
	    args[2] == RW_READER,
	    args[1] > 0 && args[1] < timestamp - self->start);
}

syscall::pwrite64:return
{
	self->lock = NULL;
}

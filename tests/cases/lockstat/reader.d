/*
 * A thread waits for a lock of readers and writers, that of its process's memory,
 * to read.
 * @@args: -q
 * @@needs: prog:kernel cpus:2
 * @@run: $PROGS/kernel looked 20000
 */
self uintptr_t lock;
self uint64_t start;

syscall::mincore:entry
/pid == $target/
{
	self->lock = (uintptr_t)&curthread->mm->mmap_lock;
	self->start = timestamp;
}

lockstat:::rw-block
/self->lock != 0 && (uintptr_t)args[0] == self->lock/
{
	printf("%s %d %d %d\n", probename, args[2] == RW_WRITER,
	    args[2] == RW_READER,
	    args[1] > 0 && args[1] < timestamp - self->start);
	exit(0);
}

syscall::mincore:return
{
	self->lock = 0;
}

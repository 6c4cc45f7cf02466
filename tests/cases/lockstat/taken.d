/*
 * Free locks are taken and released: a mutex, that of a file's position; an
 * inode's lock to write, and a directory's to read; that of a process's memory,
 * which a writer may keep to read.
 * @@args: -q
 * @@needs: prog:kernel ksym:register_kprobe
 * @@run: $PROGS/kernel locks
 */
self int on;
self uintptr_t lock;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
}

syscall::lseek:entry
/self->on/
{
	self->lock = (uintptr_t)&getf(arg0)->f_pos_lock;
}

syscall::pwrite64:entry, syscall::getdents64:entry
/self->on/
{
	self->lock = (uintptr_t)&getf(arg0)->f_inode->i_rwsem;
}

syscall::munmap:entry
/self->on/
{
	self->lock = (uintptr_t)&curthread->mm->mmap_lock;
}

lockstat:::adaptive-acquire, lockstat:::adaptive-release
/self->on && (uintptr_t)args[0] == self->lock/
{
	printf("%s\n", probename);
}

lockstat:::rw-acquire, lockstat:::rw-release
/self->on && (uintptr_t)args[0] == self->lock/
{
	printf("%s %s\n", probename,
	    args[1] == RW_READER ? "to read" : "to write");
}

lockstat:::rw-downgrade
/self->on && (uintptr_t)args[0] == self->lock/
{
	printf("%s\n", probename);
}

/*
 * Locks that a thread holds in its system calls, seen by the timer's interrupt
 * on it; at the entry of a system call it holds none.  The timer may interrupt
 * the clause that learns the locks: the one learned last says that both are
 * known.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known locks:1000
 */
struct rw_semaphore *sem;
struct mutex *mutex;

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	sem = &getf(arg1)->f_inode->i_rwsem;
	mutex = &((struct seq_file *)getf(arg2)->private_data)->lock;
}

syscall::pwrite64:entry,
syscall::read:entry
/pid == $target && mutex != NULL/
{
	at_entry += rw_write_held(sem) + rw_read_held(sem) + rw_iswriter(sem) +
	    mutex_owned(mutex) + (mutex_owner(mutex) != NULL) +
	    rw_iswriter(&curthread->mm->mmap_lock);
}

profile-997
/pid == $target && mutex != NULL/
{
	writes += rw_iswriter(sem);
	reads += mutex_owned(mutex);
	wrong += (rw_iswriter(sem) && !rw_write_held(sem)) +
	    rw_read_held(sem) +
	    (mutex_owned(mutex) != (mutex_owner(mutex) == curthread)) +
	    (rw_iswriter(sem) && mutex_owned(mutex));
}

END { printf("%d %d %d %d\n", writes > 0, reads > 0, wrong, at_entry); }

/*
 * The type of the pointer says which lock it is: the same words, read as each
 * kind.  (Layouts: kernel/locking/{mutex,rwsem}.c,
 * asm-generic/qspinlock_types.h and qrwlock.h.)
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
struct mutex;
struct rw_semaphore;
typedef struct spinlock spinlock_t;
typedef struct raw_spinlock raw_spinlock_t;
typedef struct { int a; } rwlock_t;

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->w = (uint64_t *)copyin(arg1, 64);
	this->w[0] = (uint64_t)curthread + 3;
	this->w[1] = (uint64_t)curthread + 2;
	printf("mutex %d %d %d %d\n", mutex_owned((struct mutex *)this->w),
	    mutex_owner((struct mutex *)this->w) == curthread,
	    mutex_type_adaptive((struct mutex *)this->w),
	    mutex_type_spin((struct mutex *)this->w));
	printf("untyped %d %d\n", mutex_owned((void *)this->w),
	    mutex_owned((void *)(this->w + 1)));
	this->w[0] = 1;
	printf("other mutex %d %d\n", mutex_owned((struct mutex *)this->w),
	    mutex_owner((const struct mutex *)this->w) != NULL);
	printf("spin %d %d %d %d\n", mutex_owned((spinlock_t *)this->w),
	    mutex_owner((spinlock_t *)this->w) != NULL,
	    mutex_type_adaptive((spinlock_t *)this->w),
	    mutex_type_spin((spinlock_t *)this->w));
	printf("rwsem writer %d %d %d\n",
	    rw_read_held((struct rw_semaphore *)this->w),
	    rw_write_held((struct rw_semaphore *)this->w),
	    rw_iswriter((struct rw_semaphore *)this->w));
	this->w[0] = 0x200;
	this->w[1]++;
	printf("rwsem readers %d %d %d\n",
	    rw_read_held((struct rw_semaphore *)this->w),
	    rw_write_held((struct rw_semaphore *)this->w),
	    rw_iswriter((void *)this->w));
	printf("free spin %d %d\n", mutex_owned((raw_spinlock_t *)this->w),
	    mutex_owned((struct raw_spinlock *)this->w));
	printf("rwlock reader %d %d %d\n",
	    rw_read_held((rwlock_t *)this->w),
	    rw_write_held((rwlock_t *)this->w),
	    rw_iswriter((rwlock_t *)this->w));
	this->w[0] = 0x100;
	printf("rwsem reader %d, as rwlock %d\n",
	    rw_read_held((struct rw_semaphore *)this->w),
	    rw_read_held((rwlock_t *)this->w));
	this->w[0] = 1;
	printf("raw spin %d %d\n", mutex_owned((raw_spinlock_t *)this->w),
	    mutex_type_spin((raw_spinlock_t *)this->w));
	this->w[0] = 0xff;
	printf("rwlock writer %d %d %d\n",
	    rw_read_held((rwlock_t *)this->w),
	    rw_write_held((rwlock_t *)this->w),
	    rw_iswriter((rwlock_t *)this->w));
}

/*
 * A lock predicate takes its own kinds of locks.
 */
struct rw_semaphore;
BEGIN
{
	trace(mutex_owned((struct rw_semaphore *)0));
}

/*
 * A bit-field of the kernel: SCHED_RESET_ON_FORK (0x40000000) sets one in the
 * task, and sched_setscheduler() without it clears it.
 * @@args: -q
 * @@run: $PROGS/resetfork
 */
syscall::sched_setscheduler:return
/pid == $target/
{
	printf("%d\n", curthread->sched_reset_on_fork);
}

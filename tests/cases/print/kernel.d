/*
 * The kernel's own types print as they are: the task that runs, members by
 * their paths, a function pointer by name.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	print(*(struct task_struct *)curthread);
	printf("\n");
	print(curthread->comm);
	print(curthread->sched_class->enqueue_task);
	printf("%d\n", pid);
	exit(0);
}

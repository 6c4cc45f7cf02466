/*
 * A type of the kernel is the same by all of its names, and a pointer to one
 * needs no more than its tag.
 * @@args: -q
 */
struct task_struct *task;
BEGIN
{
	task = curthread;
	this->t = (vmlinux`struct task_struct *)curthread;
	printf("%d %d %d %d\n", task->pid == tid, this->t->pid == tid,
	    ((`struct task_struct *)curthread)->pid == tid,
	    ((struct vmlinux`task_struct *)task)->pid == tid);
	printf("%d %d\n",
	    sizeof (struct task_struct) == sizeof (vmlinux`struct task_struct),
	    sizeof (*curthread) == sizeof (`struct task_struct));
	exit(0);
}

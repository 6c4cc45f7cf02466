/*
 * & [] * and arithmetic work on what the kernel's types describe: from one
 * process of the list to the next and back.
 * @@args: -q
 */
BEGIN
{
	this->next = curthread->tasks.next;
	printf("%d\n", this->next->prev == &curthread->tasks);
	this->t = (struct task_struct *)((char *)this->next -
	    offsetof(struct task_struct, tasks));
	printf("%d\n", &this->t->tasks == this->next);
	printf("%d\n", (&this->t->tasks + 1) - this->next);
	printf("%d %d\n", curthread->comm[0] == *curthread->comm,
	    *(curthread->comm + 1) == curthread->comm[1]);
	printf("%d\n", (*curthread->tasks.next).prev->next == this->next);
	exit(0);
}

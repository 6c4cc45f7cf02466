/*
 * & [] * and arithmetic work on what the kernel's types describe: from one
 * place of the list of dtrace's threads, which nobody changes, to the next and
 * back.
 * @@args: -q
 */
BEGIN
{
	this->next = curthread->thread_node.next;
	printf("%d\n", this->next->prev == &curthread->thread_node);
	this->t = (struct task_struct *)((char *)this->next -
	    offsetof(struct task_struct, thread_node));
	printf("%d\n", &this->t->thread_node == this->next);
	printf("%d\n", (&this->t->thread_node + 1) - this->next);
	printf("%d %d\n", curthread->comm[0] == *curthread->comm,
	    *(curthread->comm + 1) == curthread->comm[1]);
	printf("%d\n", (*curthread->thread_node.next).prev->next == this->next);
	exit(0);
}

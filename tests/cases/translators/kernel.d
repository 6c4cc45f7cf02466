/*
 * A translator reads the kernel's structures.
 * @@args: -q
 */
struct proc { int p_pid; string p_name; };
translator struct proc < struct task_struct *t > {
	p_pid = t->tgid;
	p_name = stringof(t->comm);
};
inline struct proc *curproc = xlate <struct proc *> (curthread);
BEGIN
{
	printf("%d %d\n", curproc->p_pid == pid, curproc->p_name == execname);
	this->p = xlate <struct proc> (curthread);
	printf("%d %d\n", this->p.p_pid == pid, this->p.p_name == execname);
	exit(0);
}

/*
 * curthread is the kernel's struct task_struct, and says what the built-in
 * variables say.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d %d %d\n", curthread->pid == tid,
	    curthread->tgid == pid, stringof(curthread->comm) == execname,
	    curthread->real_parent->tgid == ppid,
	    curthread->cred->uid.val == uid);
	exit(0);
}

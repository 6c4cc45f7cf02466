/*
 * Variables of the kernel: the first task is number 0, and its name that of the
 * idle task.
 * @@args: -q
 * @@needs: root bpf ksym:init_task
 */
extern struct task_struct init_task;
extern char linux_banner[64];
BEGIN
{
	printf("%d %s %d\n", `init_task.pid, stringof(init_task.comm),
	    (&`init_task)->tgid);
	printf("%s\n", substr(stringof(linux_banner), 0, 13));
	exit(0);
}

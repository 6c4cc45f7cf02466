/*
 * A member of what a NULL or wild pointer points to is an error of the probe.
 * @@args: -q
 */
ERROR { printf("fault %d at 0x%x\n", arg4, arg5); n++; }
BEGIN { trace(((struct list_head *)NULL)->prev); }
BEGIN { trace(((struct list_head *)0xdead000000000100)->next->next); }
BEGIN { trace(((struct task_struct *)8)->cred->uid.val == -1); }
BEGIN { printf("%d\n", n); exit(0); }

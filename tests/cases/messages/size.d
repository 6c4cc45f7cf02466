/*
 * The kernel's type that was meant is suggested.
 * @@needs: bpf
 */
BEGIN { trace(sizeof(struct task_strct)); }

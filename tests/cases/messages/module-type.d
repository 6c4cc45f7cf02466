/*
 * A type that the kernel does not have: the nearest that the script knows is
 * named.
 */
BEGIN { trace(((struct vmlinux`task_strut *)curthread)->pid); }

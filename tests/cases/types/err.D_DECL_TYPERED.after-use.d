/*
 * A struct that was used as the kernel's cannot be defined afterwards.
 */
inline int size = sizeof (struct task_struct);
struct task_struct { int pid; };

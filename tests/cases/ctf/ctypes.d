/*
 * Option ctypes writes C's types and those of the kernel that the script used;
 * option ctfpath reads them instead of the kernel's.
 */
BEGIN
{
	printf("%d %d %d\n", sizeof (struct task_struct),
	    offsetof(struct task_struct, comm), offsetof(struct task_struct, pid));
	exit(0);
}

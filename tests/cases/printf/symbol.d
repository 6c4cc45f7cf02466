/*
 * %a prints a kernel address as module`symbol+offset.
 */
BEGIN
{
	printf("%a\n", (uintptr_t)$1);
	printf("%a\n", (uintptr_t)$1 + 1);
	exit(0);
}

/*
 * A struct that the script defines hides the kernel's of that name.
 * @@args: -q
 */
struct list_head { int a[5]; };
BEGIN
{
	printf("%d %d\n", sizeof (struct list_head),
	    sizeof (vmlinux`struct list_head));
	exit(0);
}

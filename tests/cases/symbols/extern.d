/*
 * extern gives a symbol of the kernel a type, and plain names to it; & needs
 * none.
 * @@args: -q
 */
extern char __start_rodata[16];
BEGIN
{
	this->p = (char *)&`__start_ro_after_init;
	printf("%d %d\n", `__start_rodata[3] == __start_rodata[3],
	    *(__start_rodata + 1) == *((char *)&vmlinux`__start_rodata + 1));
	printf("%d %d\n", sizeof (`__start_rodata),
	    (uintptr_t)&__start_rodata < (uintptr_t)this->p);
	exit(0);
}

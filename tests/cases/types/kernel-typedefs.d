/*
 * Typedefs of the kernel are types of D: in casts, sizeof, declarations and
 * with a module; D's own typedefs win, and pid_t is D's.
 * @@args: -q
 */
this u8 byte;
BEGIN
{
	this->byte = 0x1ff;
	printf("%d %d %d\n", this->byte, (s8)0xff, (vmlinux`u16)65537);
	printf("%d %d %d\n", sizeof (u64), sizeof (vmlinux`atomic_t),
	    sizeof (pid_t));
	exit(0);
}

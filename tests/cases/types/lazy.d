/*
 * A program that names no type of the kernel reads no BTF, even if it uses
 * curthread as a value; one that looks into it does.
 * @@needs: root bpf cmd:strace
 */
BEGIN
{
	self->t = curthread;
	@[curthread == NULL] = count();
	trace(sizeof (curthread));
	exit(0);
}

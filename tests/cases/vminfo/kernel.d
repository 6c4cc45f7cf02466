/*
 * A script that reads an invalid address makes the kernel fault.
 * @@args: -q
 * @@needs: prog:kernel
 */
syscall::getppid:entry
/pid == $target/
{
	self->reads = 1;
	x = *(char *)0xffffd00000000000;
}

vminfo:::kernel_asflt
/self->reads/
{
	self->reads = 0;
	@ = sum(arg0);
}

END
{
	printa("%@d\n", @);
}

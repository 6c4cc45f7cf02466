/*
 * %A of printa() names a key that is a number as an address of $target, also
 * when the process has ended.
 * @@args: -q
 * @@needs: prog:syms
 * @@run: $PROGS/syms
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 > 4096/
{
	@[arg1] = count();
}

END
{
	printa("%A %@d\n", @);
}

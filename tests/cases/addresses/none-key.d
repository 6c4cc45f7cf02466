/*
 * Address 0 belongs to no process: it has one row, whichever process fired.
 * @@args: -q
 */
syscall:::entry
{
	@u[usym(0)] = count();
	@m[umod(0)] = count();
	@a[uaddr(0)] = count();
	@pids[pid] = count();
}

syscall:::entry
/!seen[pid]/
{
	seen[pid] = 1;
	n++;
}

syscall:::entry
/n >= 2/
{
	exit(0);
}

END
{
	trunc(@pids);
	printa(@u);
	printa(@m);
	printa(@a);
}

/*
 * pr_argv and pr_envp are the addresses of arrays of addresses, as main() gets
 * them; pr_argc is the number of arguments.
 * @@args: -q
 * @@run: env -i A=b C=d /bin/true one
 */
proc:::exec-success
/pid == $target/
{
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 24);
	this->envp = (uintptr_t *)copyin(curpsinfo->pr_envp, 24);
	printf("%d %s %s %d\n", curpsinfo->pr_argc,
	    copyinstr(this->argv[0]), copyinstr(this->argv[1]), this->argv[2]);
	printf("%s %s %d\n", copyinstr(this->envp[0]),
	    copyinstr(this->envp[1]), this->envp[2]);
}

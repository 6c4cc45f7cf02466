/*
 * A shell that executes another, which runs a command.
 * @@args: -q
 * @@run: /bin/sh -c "exec /bin/sh -c 'exec /bin/true'"
 */
sysinfo:::sysexec
/pid == $target/
{
	@ = sum(arg0);
}

END
{
	printa("%@d\n", @);
}

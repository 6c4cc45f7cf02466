/*
 * The modules of another kernel restrict nothing: probes of io, sched, ... are
 * in no module here.
 * @@args: -q
 */
io:genunix::start, io:kernel::done, sched:unix::on-cpu, proc:genunix::exit,
sysinfo:unix::pswitch
{
	seen = 1;
}

tick-1s
{
	printf("%d", seen);
	exit(0);
}

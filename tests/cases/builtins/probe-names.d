/*
 * probeprov, probemod, probefunc and probename name the probe.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known args
 */
BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", probeprov, probemod, probefunc,
	    probename);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("[%s] [%s] [%s] [%s]\n", probeprov, probemod, probefunc,
	    probename);
}

syscall::getpriority:return
/pid == $target/
{
	printf("[%s] [%s] [%s] [%s]\n", probeprov, probemod, probefunc,
	    probename);
}

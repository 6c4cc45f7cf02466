/*
 * A clause for several probes of a connection has its socket and what is known
 * of it, which all have in common.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net tcp
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::connect-request,
tcp:::connect-established,
tcp:::accept-established,
tcp:::state-change
/args[3]->tcps_lport == port || args[3]->tcps_rport == port/
{
	@[probename, args[1]->cs_addr == arg1,
	    args[3]->tcps_addr == arg1] = count();
}

tcp:::
/args[3]->tcps_lport == port || args[3]->tcps_rport == port/
{
	@all[probename] = count();
}

END
{
	printa("%s %d %d %@d\n", @);
	printa("%s\n", @all);
}

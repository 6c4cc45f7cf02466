/*
 * A connection is requested, established at the end that asked for it, and then
 * at the other; by IPv4 and IPv6.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net tcp tcp6
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::connect-request
/args[4]->tcp_dport == port/
{
	printf("%s %d %s %s\n", probename, args[2]->ip_ver, args[2]->ip_saddr,
	    args[2]->ip_daddr);
}

tcp:::connect-established,
tcp:::accept-established
/args[3]->tcps_lport == port || args[3]->tcps_rport == port/
{
	printf("%s %d %s %s %d %d %s %s %d\n", probename, args[2]->ip_ver,
	    args[2]->ip_saddr, args[2]->ip_daddr, args[4]->tcp_sport - port,
	    args[4]->tcp_dport - port, args[3]->tcps_laddr,
	    args[3]->tcps_raddr, args[3]->tcps_state);
}

tcp:::accept-refused
/args[4]->tcp_sport == port/
{
	printf("%s?\n", probename);
}

tcp:::connect-refused
/args[3]->tcps_rport == port/
{
	printf("%s?\n", probename);
}

/*
 * A connection to a port without a socket: it is requested, and refused by the
 * one end to the other.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net refused:2
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::connect-request
/args[4]->tcp_dport == port + 2/
{
	printf("%s %s %d %d %s %d\n", probename, args[2]->ip_daddr,
	    args[4]->tcp_flags & TH_SYN, args[3]->tcps_state ==
	    TCP_STATE_SYN_SENT, args[3]->tcps_raddr,
	    args[3]->tcps_lport - port);
}

tcp:::accept-refused
/args[4]->tcp_sport == port + 2/
{
	printf("%s %s %d %s %d\n", probename, args[2]->ip_saddr,
	    args[4]->tcp_flags == (TH_RST | TH_ACK), args[3]->tcps_laddr,
	    args[3]->tcps_lport - port);
}

tcp:::connect-refused
/args[4]->tcp_sport == port + 2/
{
	printf("%s %d %s %s %d %d %d\n", probename, args[2]->ip_ver,
	    args[2]->ip_saddr, args[2]->ip_daddr, args[4]->tcp_dport - port,
	    args[3]->tcps_rport - port, args[3]->tcps_state);
}

tcp:::connect-established,
tcp:::accept-established
/args[3]->tcps_lport == port + 2 || args[3]->tcps_rport == port + 2/
{
	printf("%s?\n", probename);
}

/*
 * A connection's states at both ends, in the order that each goes through.  A
 * socket that is made for a peer who asked may not have its address yet.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net tcp
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::state-change
/args[3]->tcps_lport == port || args[3]->tcps_rport == port/
{
	printf("%s %s %s, was %s: %d %d\n", args[3]->tcps_laddr,
	    args[3]->tcps_state == TCP_STATE_SYN_RECEIVED ? "peer" :
	    args[3]->tcps_raddr, tcp_state_string[args[3]->tcps_state],
	    tcp_state_string[args[5]->tcps_state],
	    args[3]->tcps_addr == arg1, args[1]->cs_addr == arg1);
}

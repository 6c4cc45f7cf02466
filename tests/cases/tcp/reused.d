/*
 * A connection with the ports of one that waits in TIME_WAIT: its SYN, which is
 * passed on to the socket that listens, is received once.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net reused:2
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::connect-request
/args[4]->tcp_dport == port/
{
	printf("%s\n", probename);
}

tcp:::receive
/args[4]->tcp_dport == port && args[4]->tcp_flags & TH_SYN/
{
	printf("%s\n", probename);
}

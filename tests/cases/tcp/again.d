/*
 * A segment that is not answered is sent again after a second, and on a busy
 * machine once more before the program gives up; the connection was requested
 * once.
 * @@args: -q
 * @@needs: prog:net cmd:tc
 * @@run: $PROGS/net again
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::send
/args[4]->tcp_dport == port + 2 && sent++ < 2/
{
	printf("%s %d %d\n", probename, args[3]->tcps_retransmit,
	    args[3]->tcps_rto);
}

tcp:::connect-request
/args[4]->tcp_dport == port + 2/
{
	printf("%s\n", probename);
}

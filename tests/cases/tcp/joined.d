/*
 * Segments that wait while their socket is in use are all received: 1 and 7
 * times 5 bytes are sent, of which some may be sent and received again.  (Linux
 * may join such, but none that the sender still has, as on the loopback
 * device.)
 * @@args: -q
 * @@needs: prog:net
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::send,
tcp:::receive
/args[4]->tcp_dport == port && args[4]->tcp_sport == port + 1/
{
	@[probename] = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

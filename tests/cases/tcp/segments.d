/*
 * The segments of a connection: three exchanges of 5 and 7 bytes.  Of those
 * without data only the ones with SYN and FIN are certain.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net tcp:3 tcp6:2
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::send,
tcp:::receive
/args[4]->tcp_dport == port && args[4]->tcp_sport == port + 1/
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	this->name = probename == "send" ? "client sends" : "server receives";
}

tcp:::send,
tcp:::receive
/args[4]->tcp_dport == port + 1 && args[4]->tcp_sport == port/
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	this->name = probename == "send" ? "server sends" : "client receives";
}

tcp:::send,
tcp:::receive
/this->name != NULL && (this->size > 0 ||
    args[4]->tcp_flags & (TH_SYN | TH_FIN))/
{
	@[args[2]->ip_ver, this->name, this->size,
	    args[4]->tcp_flags & (TH_SYN | TH_FIN | TH_RST)] = count();
}

END
{
	printa("IPv%d %s %d bytes, flags %d: %@d\n", @);
}

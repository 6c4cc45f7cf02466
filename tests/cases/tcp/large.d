/*
 * Packets of more than 64 KB, which are split after they were sent, have their
 * length too, and what is joined when it is received: 5,000,000 bytes are
 * written to a reader who is slow, of which some may be sent and received
 * again; the answer has 1,000.
 * @@args: -q
 * @@needs: cmd:python3
 */
tcp:::send,
tcp:::receive
/args[3]->tcps_raddr == "127.71.72.73"/
{
	@[probename] = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

tcp:::receive
/args[3]->tcps_laddr == "127.71.72.73"/
{
	@["all"] = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

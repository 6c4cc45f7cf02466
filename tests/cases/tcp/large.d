/*
 * Packets of more than 64 KB, which are split after they were sent, have their
 * length too: 5,000,000 bytes are written, of which some may be sent again; the
 * answer has 1,000.
 * @@args: -q
 * @@needs: cmd:python3
 */
tcp:::send,
tcp:::receive
/args[3]->tcps_raddr == "127.71.72.73"/
{
	@[probename] = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

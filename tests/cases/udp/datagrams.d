/*
 * Each datagram is sent once and received once: 8 bytes of header, 5 and 6 of
 * data.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net udp:3 udp6:2
 */
inline int port = 10000 + $target % 2500 * 20;

udp:::send
/args[4]->udp_dport == port && args[4]->udp_sport == port + 1/
{
	@[probename, args[2]->ip_ver, args[4]->udp_length,
	    args[3]->udps_laddr, args[3]->udps_lport - port,
	    args[3]->udps_raddr, args[3]->udps_rport - port] = count();
	@sent = sum(args[0]->pkt_addr == arg0 && args[1]->cs_addr != 0 &&
	    args[3]->udps_addr == args[1]->cs_addr);
	@same = sum(args[4]->udp_checksum == ntohs(args[4]->udp_hdr->check) &&
	    args[4]->udp_checksum != 0);
}

udp:::receive
/args[4]->udp_dport == port && args[4]->udp_sport == port + 1/
{
	@[probename, args[2]->ip_ver, args[4]->udp_length,
	    args[3]->udps_laddr, args[3]->udps_lport - port,
	    args[3]->udps_raddr, args[3]->udps_rport - port] = count();
}

END
{
	printa("%-7s %d %d %s %d %s %d %@d\n", @);
	printa("%@d ", @sent);
	printa("%@d\n", @same);
}

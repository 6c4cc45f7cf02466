/*
 * A datagram of 4000 bytes is sent in three parts, where 1500 fit; 8 bytes of
 * UDP are in the first.  It is one datagram.  The kernel may send what timers
 * want,
such as reports of IGMP, while the program runs: only UDP is looked at.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net parts
 */
ip:::send
/pid == $target && args[4]->ipv4_protocol == IPPROTO_UDP/
{
	printf("%d %d %d\n", args[4]->ipv4_offset, args[2]->ip_plength,
	    args[4]->ipv4_flags == IPV4_MF);
}

udp:::send
/pid == $target/
{
	printf("datagram of %d\n", args[4]->udp_length);
}

udp:::receive
/args[4]->udp_dport == 10000 + $target % 2500 * 20/
{
	received++;
}

END
{
	printf("%d\n", received);
}

/*
 * Packets that a host forwards are received and sent there, on a bridge as one
 * device; what a bridge passes on is not IP's.  Only who sends and who is sent
 * to has datagrams and segments.
 *
 *	A a0 --- ra [br0 .1.1] R [rb .2.1] --- b0 B (.2.2)
 *	C c0 --- rc [br0     ]
 *
 * A sends 3 datagrams to B and 2 to C, and wants a connection with B, which has
 * nobody at the port.  The last lines are what the kernel has counted of ICMP
 * messages at B and at C.
 * @@args: -q
 * @@needs: cmd:ip cmd:nsenter cmd:unshare link:veth link:bridge
 */
ip:::send,
ip:::receive
/args[2]->ip_saddr == "198.18.1.2" || args[2]->ip_daddr == "198.18.1.2"/
{
	@ip[args[2]->ip_saddr, args[2]->ip_daddr, args[4]->ipv4_protostr,
	    args[4]->ipv4_ttl, args[3]->if_name, probename] = count();
}

udp:::send,
udp:::receive
/args[2]->ip_saddr == "198.18.1.2" && args[4]->udp_dport == 9/
{
	@udp[args[2]->ip_daddr, args[4]->udp_length, probename] = count();
}

tcp:::send,
tcp:::connect-request,
tcp:::accept-refused
/args[3]->tcps_raddr == "198.18.1.2" || args[3]->tcps_laddr == "198.18.1.2"/
{
	@tcp[args[3]->tcps_laddr, args[3]->tcps_raddr, probename] = count();
}

/* A segment that there is no socket for is received on some kernels only. */
tcp:::receive
/args[3]->tcps_laddr == "198.18.1.2"/
{
	@tcp[args[3]->tcps_laddr, args[3]->tcps_raddr, probename] = count();
}

tcp:::connect-refused
/args[3]->tcps_laddr == "198.18.1.2"/
{
	@tcp[args[3]->tcps_laddr, args[3]->tcps_raddr, probename] = count();
}

END
{
	printa("ip %s > %s %s ttl %d %s %s %@d\n", @ip);
	printa("udp %s %d %s %@d\n", @udp);
	printa("tcp %s %s %s %@d\n", @tcp);
}

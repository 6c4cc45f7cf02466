#!/usr/sbin/dtrace -s
/*
 * packets.d: packets of IP by protocol, address and way, of one program.
 *
 * @@load: toil udp 11 40
 * @@truth: snmp
 * @@check: n("send", "UDP", "127.0.0.1") == load["snmp"]["Ip"]["OutRequests"] == 11
 * @@check: n("length") == 11 * (40 + 8 + 20)
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

ip:::send
/execname == "toil" && args[4]->ipv4_protocol == IPPROTO_UDP/
{
	@[probename, args[4]->ipv4_protostr, args[2]->ip_daddr] = count();
	@l["length"] = sum(args[4]->ipv4_length);
}

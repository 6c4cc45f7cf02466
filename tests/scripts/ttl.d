#!/usr/sbin/dtrace -s
/*
 * ttl.d: fields of IP's headers, of one namespace's loopback device.
 *
 * @@load: toil udp 9 100
 * @@truth: snmp
 * @@check: n("4", "64", "20", "UDP", "128") == load["snmp"]["Ip"]["OutRequests"] == 9
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

ip:::receive
/execname == "toil" && args[2]->ip_ver == 4/
{
	@[args[2]->ip_ver, args[4]->ipv4_ttl, args[4]->ipv4_ihl,
	    args[4]->ipv4_protostr, args[4]->ipv4_length] = count();
}

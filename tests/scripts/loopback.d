#!/usr/sbin/dtrace -s
/*
 * loopback.d: what goes out by a device comes in by it, in a namespace.
 *
 * @@load: toil tcp 5 2000
 * @@truth: snmp
 * @@check: n("lo", "send") == load["snmp"]["Ip"]["OutRequests"]
 * @@check: n("lo", "receive") == load["snmp"]["Ip"]["InReceives"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

ip:::send,
ip:::receive
/args[3]->if_name == "lo" && execname == "toil"/
{
	@[args[3]->if_name, probename] = count();
}

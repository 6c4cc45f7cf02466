#!/usr/sbin/dtrace -s
/*
 * datagrams.d: datagrams by port and way, and their bytes.
 *
 * @@load: toil udp 21 300
 * @@truth: snmp load
 * @@check: n("send", 8644) == load["snmp"]["Udp"]["OutDatagrams"] == 21
 * @@check: n("receive", 8644) == load["snmp"]["Udp"]["InDatagrams"]
 * @@check: n("bytes", "send") == n("bytes", "receive") == load["bytes"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

udp:::send, udp:::receive
/args[4]->udp_dport == 8644/
{
	@num[probename, args[4]->udp_dport] = count();
	@len["bytes", probename] = sum(args[4]->udp_length - 8);
}

dtrace:::END
{
	printa("%s %d %@d\n", @num);
	printa("%s %s %@d\n", @len);
}

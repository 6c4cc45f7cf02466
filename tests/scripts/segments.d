#!/usr/sbin/dtrace -s
/*
 * segments.d: segments that were sent and received, and their payload.
 *
 * @@load: toil tcp 8 700
 * @@truth: snmp load
 * @@check: n("send") == load["snmp"]["Tcp"]["OutSegs"] + load["snmp"]["Tcp"]["RetransSegs"]
 * @@check: n("receive") == load["snmp"]["Tcp"]["InSegs"]
 * @@check: n("payload", "send") == n("payload", "receive") == 2 * load["bytes"]
 */

#pragma D option quiet

inline int PORT = 8642;

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::send,
tcp:::receive
/args[4]->tcp_sport == PORT || args[4]->tcp_dport == PORT/
{
	@pkts[probename] = count();
	@bytes["payload", probename] =
	    sum(args[2]->ip_plength - args[4]->tcp_offset);
}

dtrace:::END
{
	printa("%s %@d\n", @pkts);
	printa("%s %s %@d\n", @bytes);
}

#!/usr/sbin/dtrace -s
/*
 * tcpflags.d: flags of the segments that were sent.
 *
 * @@load: toil tcp 7 300
 * @@truth: snmp
 * @@check: n("SYN") == 7 and n("SYN+ACK") == load["snmp"]["Tcp"]["PassiveOpens"]
 * @@check: n("FIN") == 14 and n("RST") == load["snmp"]["Tcp"]["OutRsts"] == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::send
/args[4]->tcp_sport == 8642 || args[4]->tcp_dport == 8642/
{
	this->flags = args[4]->tcp_flags;
	@[this->flags & TH_RST ? "RST" :
	    this->flags & TH_SYN ? this->flags & TH_ACK ? "SYN+ACK" : "SYN" :
	    this->flags & TH_FIN ? "FIN" : "other"] = count();
}

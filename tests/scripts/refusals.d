#!/usr/sbin/dtrace -s
/*
 * refusals.d: connections that nobody wanted.
 *
 * @@load: toil refused 13
 * @@truth: snmp load
 * @@check: n("connect-refused") == load["snmp"]["Tcp"]["AttemptFails"] == load["done"]
 * @@check: n("accept-refused") == load["snmp"]["Tcp"]["OutRsts"] == 13
 * @@check: n("connect-request") == 13 and n("connect-established") == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::connect-request,
tcp:::connect-refused,
tcp:::connect-established
/args[3]->tcps_rport == 8643/
{
	@[probename] = count();
}

tcp:::accept-refused
/args[4]->tcp_dport == 8643 || args[4]->tcp_sport == 8643/
{
	@[probename] = count();
}

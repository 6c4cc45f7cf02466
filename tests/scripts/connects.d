#!/usr/sbin/dtrace -s
/*
 * connects.d: connections that were made, at both ends, by port.
 *
 * @@load: toil tcp 9 100
 * @@truth: snmp
 * @@check: n("connect-established", 8642) == load["snmp"]["Tcp"]["ActiveOpens"] == 9
 * @@check: n("accept-established", 8642) == load["snmp"]["Tcp"]["PassiveOpens"] == 9
 * @@check: n("connect-request", 8642) == 9
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::connect-request,
tcp:::connect-established
/args[3]->tcps_rport == 8642/
{
	@[probename, args[3]->tcps_rport] = count();
}

tcp:::accept-established
/args[3]->tcps_lport == 8642/
{
	@[probename, args[3]->tcps_lport] = count();
}

#!/usr/sbin/dtrace -s
/*
 * tcpstates.d: ways of connections through their states.
 *
 * @@load: toil tcp 6 50
 * @@truth: snmp
 * @@check: n("state-closed", "->", "state-syn-sent") == load["snmp"]["Tcp"]["ActiveOpens"]
 * @@check: n("state-syn-sent", "->", "state-established") == 6
 * @@check: n("state-syn-received", "->", "state-established") == load["snmp"]["Tcp"]["PassiveOpens"]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%20s    %-20s %6s\n", "OLD", "NEW", "TIMES");
}

tcp:::state-change
/args[3]->tcps_lport == 8642 || args[3]->tcps_rport == 8642/
{
	@[tcp_state_string[args[5]->tcps_state],
	    tcp_state_string[args[3]->tcps_state]] = count();
}

dtrace:::END
{
	printa("%20s -> %-20s %@6d\n", @);
}

#!/usr/sbin/dtrace -s
/*
 * tcpstates [PORT]: how TCP connections change their states
 *
 * PORT selects connections with that port at one of their ends.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-22s %6s %-22s %6s  %s\n", "LOCAL", "PORT", "REMOTE", "PORT",
	    "CHANGE");
}

tcp:::state-change
/$1 == 0 || args[3]->tcps_lport == $1 || args[3]->tcps_rport == $1/
{
	printf("%-22s %6d %-22s %6d  %s -> %s\n", args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport,
	    tcp_state_string[args[5]->tcps_state],
	    tcp_state_string[args[3]->tcps_state]);
}

#!/usr/sbin/dtrace -s
/*
 * tcplives [PORT]: TCP connections as they end: time, bytes sent and received
 *
 * PORT selects connections with that port at one of their ends.
 * Both ends of a connection to this host itself are shown.  Connections that
 * existed before the tool started are not.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-22s %-6s %-22s %-6s %10s %10s %12s\n", "LOCAL", "PORT",
	    "REMOTE", "PORT", "MS", "OUT", "IN");
}

tcp:::connect-established,
tcp:::accept-established
/$1 == 0 || args[3]->tcps_lport == $1 || args[3]->tcps_rport == $1/
{
	began[args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport] = timestamp;
}

tcp:::send
/began[args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport]/
{
	out[args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport] +=
	    args[2]->ip_plength - args[4]->tcp_offset;
}

tcp:::receive
/began[args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport]/
{
	in[args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport] +=
	    args[2]->ip_plength - args[4]->tcp_offset;
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED &&
    began[args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport]/
{
	this->ms = (timestamp - began[args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport]) / 1000000;
	printf("%-22s %-6d %-22s %-6d %10d %10d %12d\n", args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport,
	    this->ms, out[args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport], in[args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport]);
	began[args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport] = 0;
	out[args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport] = 0;
	in[args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport] = 0;
}

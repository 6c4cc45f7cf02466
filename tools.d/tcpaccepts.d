#!/usr/sbin/dtrace -s
/*
 * tcpaccepts [PORT]: TCP connections that others open to this host
 *
 * PORT selects connections to that port.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %-22s %6s %-22s %6s\n", "TIME", "LOCAL", "PORT", "REMOTE",
	    "PORT");
}

tcp:::accept-established
/$1 == 0 || args[3]->tcps_lport == $1/
{
	printf("%-20Y %-22s %6d %-22s %6d\n", walltimestamp,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport);
}

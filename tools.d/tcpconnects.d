#!/usr/sbin/dtrace -s
/*
 * tcpconnects [PORT]: TCP connections that this host opens, also refused ones
 *
 * PORT selects connections to that port.
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %-8s %-22s %6s %-22s %6s\n", "TIME", "RESULT", "LOCAL", "PORT",
	    "REMOTE", "PORT");
}

tcp:::connect-established
/$1 == 0 || args[3]->tcps_rport == $1/
{
	printf("%-20Y %-8s %-22s %6d %-22s %6d\n", walltimestamp, "open",
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport);
}

tcp:::connect-refused
/$1 == 0 || args[3]->tcps_rport == $1/
{
	printf("%-20Y %-8s %-22s %6d %-22s %6d\n", walltimestamp, "refused",
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport);
}

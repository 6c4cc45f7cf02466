#!/usr/sbin/dtrace -s
/*
 * tcpresets [PORT]: TCP resets that are sent and received
 *
 * PORT selects those with that port at one of their ends.  REMOTE is the other
 * host.
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::send
/(args[4]->tcp_flags & TH_RST) &&
    ($1 == 0 || args[4]->tcp_sport == $1 || args[4]->tcp_dport == $1)/
{
	@["sent", args[2]->ip_daddr, args[4]->tcp_dport] = count();
}

tcp:::receive
/(args[4]->tcp_flags & TH_RST) &&
    ($1 == 0 || args[4]->tcp_sport == $1 || args[4]->tcp_dport == $1)/
{
	@["received", args[2]->ip_saddr, args[4]->tcp_sport] = count();
}

END
{
	printf("%-10s %-24s %6s %8s\n", "RESET", "REMOTE", "PORT", "TIMES");
	printa("%-10s %-24s %6d %@8d\n", @);
}

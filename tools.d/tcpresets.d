#!/usr/sbin/dtrace -s
/*
 * tcpresets: TCP resets that are sent and received
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::send
/args[4]->tcp_flags & TH_RST/
{
	@["sent", args[2]->ip_daddr, args[4]->tcp_dport] = count();
}

tcp:::receive
/args[4]->tcp_flags & TH_RST/
{
	@["received", args[2]->ip_saddr, args[4]->tcp_sport] = count();
}

END
{
	printf("%-10s %-24s %6s %8s\n", "RESET", "REMOTE", "PORT", "TIMES");
	printa("%-10s %-24s %6d %@8d\n", @);
}

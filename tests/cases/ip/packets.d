/*
 * Each packet is sent once and received once, on a device of the process's
 * network.  Behind the IP header stand 8 bytes of UDP and the 5 or 6 of data.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net udp:3 udp6:2
 */
ip:::send
/pid == $target/
{
	net = curthread->nsproxy->net_ns->ns.inum;
}

ip:::send,
ip:::receive
/net != 0 && args[3]->if_ipstack == net/
{
	@[probename, args[2]->ip_ver, args[2]->ip_plength, args[2]->ip_saddr,
	    args[2]->ip_daddr] = count();
	@ok = sum(args[0]->pkt_addr == arg0 && args[1]->cs_addr == arg1 &&
	    args[3]->if_name == "lo" && args[3]->if_local == 1 &&
	    args[3]->if_addr == arg3);
}

END
{
	printa("%-7s %d %d %s %s %@d\n", @);
	printa("%@d\n", @ok);
}

/*
 * Members of the headers of IPv4 and IPv6; those of the other version are 0.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net marked
 */
ip:::send
/pid == $target/
{
	printf("%d %d %x %d %d %d %d %d %s %s %s\n", args[4]->ipv4_ver,
	    args[4]->ipv4_ihl, args[4]->ipv4_tos, args[4]->ipv4_length,
	    args[4]->ipv4_flags == 0 || args[4]->ipv4_flags == IPV4_DF,
	    args[4]->ipv4_offset, args[4]->ipv4_ttl, args[4]->ipv4_protocol,
	    args[4]->ipv4_protostr, args[4]->ipv4_saddr, args[4]->ipv4_daddr);
	printf("%x %x %d %d\n", ntohl(args[4]->ipv4_src),
	    ntohl(args[4]->ipv4_dst), args[4]->ipv4_checksum != 0,
	    (uintptr_t)args[4]->ipv4_hdr == arg4);
	printf("%d %x %d %d %s %d %s %s %d\n", args[5]->ipv6_ver,
	    args[5]->ipv6_tclass, args[5]->ipv6_plen, args[5]->ipv6_nexthdr,
	    args[5]->ipv6_nextstr, args[5]->ipv6_hlim, args[5]->ipv6_saddr,
	    args[5]->ipv6_daddr, (uintptr_t)args[5]->ipv6_hdr == arg5);
}

ip:::send
/pid == $target && args[2]->ip_ver == 4/
{
	printf("%d %d\n", args[4]->ipv4_ident ==
	    ntohs(args[4]->ipv4_hdr->id), args[5]->ipv6_src == NULL);
}

ip:::send
/pid == $target && args[2]->ip_ver == 6/
{
	printf("%s %s %d %d\n", inet_ntoa6(args[5]->ipv6_src),
	    inet_ntoa6(args[5]->ipv6_dst), args[5]->ipv6_flow ==
	    (ntohl(*(uint32_t *)arg5) & 0xfffff), args[4]->ipv4_ident);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ip provider: packets of IPv4 and IPv6, and the facts that tcp and udp
 * share.
 *
 * A packet is sent when IP hands it to a device, and received when a device
 * hands it to IP.  Devices are stacked, and a packet passes each of them.  A
 * packet that passes a port of a bridge or bond, or a device below a VLAN,
 * counts only at the upper device, where IP handles it.
 *
 * Everything is read from the packet's IP header, H; in both versions of IP,
 * the first four bits are the version.
 */
typedef struct pktinfo {
	uintptr_t pkt_addr;	/* the struct sk_buff */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;	/* the struct sock; 0: unknown */
	uint64_t cs_cid;	/* its cookie; 0: it has none */
	pid_t cs_pid;		/* 0: Linux keeps no process with a socket */
	zoneid_t cs_zoneid;	/* 0 */
} csinfo_t;

typedef struct ipinfo {
	uint8_t ip_ver;		/* 4, 6 */
	uint32_t ip_plength;	/* bytes behind the IP header */
	string ip_saddr;
	string ip_daddr;
} ipinfo_t;

typedef struct ifinfo {
	string if_name;
	int8_t if_local;	/* a loopback device */
	uint32_t if_ipstack;	/* network namespace: its inode */
	uintptr_t if_addr;	/* the struct net_device; 0: unknown */
} ifinfo_t;

/* For a packet that is not IPv4, all members are 0 or "". */
typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;	/* header, in bytes */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;	/* including the header */
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;	/* IPV4_DF, IPV4_MF */
	uint16_t ipv4_offset;	/* of a fragment, in bytes */
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	struct in6_addr *ipv6_src;
	struct in6_addr *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;
} ipv6info_t;

inline int IPV4_MF = 2;			/* ipv4_flags: more fragments follow */
inline int IPV4_DF = 4;			/* must not be fragmented */

/* ---- headers ------------------------------------------------------------- */

inline int _iph_ver[struct iphdr *H] = *(uint8_t *)H >> 4;

inline int _iph_len[struct iphdr *H] = (*(uint8_t *)H & 15) << 2;

/* IPv6: does a fragment header follow, of the first fragment? */
inline int _ip6h_frag[struct iphdr *H] = *((uint8_t *)H + 6) == 44 &&
    (ntohs(*(uint16_t *)((uintptr_t)H + 42)) & 0xfff8) == 0;

/* The protocol whose header follows; later fragments have none (59). */
inline int _iph_proto[struct iphdr *H] = _iph_ver[H] == 4 ?
    ((ntohs(H->frag_off) & 0x1fff) == 0 ? H->protocol : 59) :
    _ip6h_frag[H] ? *((uint8_t *)H + 40) : *((uint8_t *)H + 6);

inline uintptr_t _iph_next[struct iphdr *H] = (uintptr_t)H +
    (_iph_ver[H] == 4 ? _iph_len[H] : _ip6h_frag[H] ? 48 : 40);

/* Bytes behind the header. */
inline uint32_t _iph_plen[struct iphdr *H] = _iph_ver[H] == 4 ?
    ntohs(H->tot_len) - _iph_len[H] :
    ntohs(((struct ipv6hdr *)H)->payload_len);

inline string _iph_saddr[struct iphdr *H] = _iph_ver[H] == 4 ?
    inet_ntoa((ipaddr_t *)&H->saddr) :
    inet_ntoa6(&((struct ipv6hdr *)H)->saddr);

inline string _iph_daddr[struct iphdr *H] = _iph_ver[H] == 4 ?
    inet_ntoa((ipaddr_t *)&H->daddr) :
    inet_ntoa6(&((struct ipv6hdr *)H)->daddr);

inline string _ipproto_str[int p] = p == 0 ? "HOPOPTS" : p == 1 ? "ICMP" :
    p == 2 ? "IGMP" : p == 4 ? "IP" : p == 6 ? "TCP" : p == 17 ? "UDP" :
    p == 41 ? "IPV6" : p == 43 ? "ROUTING" : p == 44 ? "FRAGMENT" :
    p == 47 ? "GRE" : p == 50 ? "ESP" : p == 51 ? "AH" :
    p == 58 ? "ICMPV6" : p == 59 ? "NONE" : p == 60 ? "DSTOPTS" :
    p == 132 ? "SCTP" : lltostr(p);

/* Are two addresses of 16 bytes equal? */
inline int _in6_same[uint64_t *a, uint64_t *b] = a[0] == b[0] && a[1] == b[1];

/* Are both ends on this host?  They have one address, or begin with 127. */
inline int _in4_is_local[ipaddr_t a, ipaddr_t b] = a == b || (a & 0xff) == 127;

inline int _iph_is_local[struct iphdr *H] = _iph_ver[H] == 4 ?
    _in4_is_local[H->daddr, H->saddr] :
    _in6_same[(uint64_t *)H + 1, (uint64_t *)H + 3];

/* ---- sockets ------------------------------------------------------------- */

inline struct in6_addr *_sk_daddr6[struct sock *S] =
    &S->__sk_common.skc_v6_daddr;

/* Is the socket's peer an IPv4 address, or one as IPv6 writes it:
 * ::ffff:a.b.c.d? */
inline int _sk_is_v4[struct sock *S] = S->__sk_common.skc_family == AF_INET ||
    (_sk_daddr6[S]->in6_u.u6_addr32[0] == 0 &&
    _sk_daddr6[S]->in6_u.u6_addr32[1] == 0 &&
    _sk_daddr6[S]->in6_u.u6_addr32[2] == htonl(0xffff));

inline int _sk_is_local[struct sock *S] = _sk_is_v4[S] ?
    _in4_is_local[S->__sk_common.skc_daddr, S->__sk_common.skc_rcv_saddr] :
    _in6_same[(uint64_t *)_sk_daddr6[S],
    (uint64_t *)&S->__sk_common.skc_v6_rcv_saddr];

inline string _sk_laddr[struct sock *S] = _sk_is_v4[S] ?
    inet_ntoa((ipaddr_t *)&S->__sk_common.skc_rcv_saddr) :
    inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr);

inline string _sk_raddr[struct sock *S] = _sk_is_v4[S] ?
    inet_ntoa((ipaddr_t *)&S->__sk_common.skc_daddr) :
    inet_ntoa6(_sk_daddr6[S]);

/* A closed socket has given its port back; inet_sport still has a copy. */
inline uint16_t _sk_lport[struct sock *S] = S->__sk_common.skc_num != 0 ?
    S->__sk_common.skc_num : ntohs(((struct inet_sock *)S)->inet_sport);

inline uint16_t _sk_rport[struct sock *S] = ntohs(S->__sk_common.skc_dport);

/* ---- packets: what IP sends, and what it is given ------------------------ */

inline int _skb_is_ip[struct sk_buff *B] =
    ntohs(B->protocol) == 0x800 || ntohs(B->protocol) == 0x86dd;

/* A port of an upper device, which IP sees in its place: IFF_SLAVE is 0x800. */
inline int _dev_is_port[struct net_device *N] =
    (N->priv_flags & (IFF_BRIDGE_PORT | IFF_TEAM_PORT)) != 0 ||
    (N->flags & 0x800) != 0;

inline struct iphdr *_skb_sent[struct sk_buff *B] =
    (struct iphdr *)(B->head + B->network_header);

inline int _skb_is_sent[struct sk_buff *B] = _skb_is_ip[B] &&
    B->vlan_tci == 0 && !_dev_is_port[B->dev];

/* A packet that this host made: a forwarded one has its device's number. */
inline int _skb_is_ours[struct sk_buff *B] = _skb_is_sent[B] && B->skb_iif == 0;

/* When a device gives a packet to IP, the data begins with the IP header. */
inline struct iphdr *_skb_received[struct sk_buff *B] = (struct iphdr *)B->data;

/* PACKET_OTHERHOST, 3: for another host, received in promiscuous mode. */
inline int _skb_is_received[struct sk_buff *B] = _skb_is_ip[B] &&
    B->pkt_type != 3 && !_dev_is_port[B->dev];

/*
 * Is a received IPv4 packet for this host, and not to be forwarded?  It is if
 * its device forwards no packets, or if it has the device's address.
 */
inline int _skb_is_local4[struct sk_buff *B] =
    B->dev->ip_ptr->cnf.data[0] == 0 ||
    B->dev->ip_ptr->ifa_list->ifa_local == _skb_received[B]->daddr;

inline int _skb_is_for_us[struct sk_buff *B] = _skb_is_received[B] &&
    ((B->dev->flags & IFF_LOOPBACK) != 0 || _iph_ver[_skb_received[B]] == 6 ||
    _skb_is_local4[B]);

/* ---- translations -------------------------------------------------------- */

translator pktinfo_t < struct sk_buff *B > {
	pkt_addr = (uintptr_t)B;
};

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = S == NULL ? 0 : S->__sk_common.skc_cookie.counter;
	cs_pid = 0;
	cs_zoneid = 0;
};

/*
 * A packet larger than 64 KB, which is split later or was joined, has a length
 * of 0 in its header.  The H of such a packet is its struct sk_buff with bit 63
 * cleared, which is 1 in all addresses of the kernel.
 */
inline int _iph_has_len[struct iphdr *H] = _iph_ver[H] == 4 ?
    H->tot_len != 0 : ((struct ipv6hdr *)H)->payload_len != 0;

inline struct iphdr *_h_of_skb[struct sk_buff *B] =
    (struct iphdr *)((uintptr_t)B & ~(1ULL << 63));

inline struct iphdr *_skb_h[struct sk_buff *B, struct iphdr *H] =
    _iph_has_len[H] ? H : _h_of_skb[B];

inline int _h_is_skb[struct iphdr *H] = (uintptr_t)H >> 63 == 0;

inline struct sk_buff *_h_skb[struct iphdr *H] =
    (struct sk_buff *)((uintptr_t)H | 1ULL << 63);

inline struct iphdr *_h_iph[struct iphdr *H] = _h_is_skb[H] ?
    _skb_sent[_h_skb[H]] : H;

/* The bytes of the packet, from the IP header on. */
inline uint32_t _skb_iplen[struct sk_buff *B] = B->len +
    (uintptr_t)B->data - (uintptr_t)_skb_sent[B];

inline uint32_t _h_plen[struct iphdr *H] = _h_is_skb[H] ?
    _skb_iplen[_h_skb[H]] - (_iph_ver[_h_iph[H]] == 4 ?
    _iph_len[_h_iph[H]] : 40) : _iph_plen[H];

translator ipinfo_t < struct iphdr *H > {
	ip_ver = _iph_ver[_h_iph[H]];
	ip_plength = _h_plen[H];
	ip_saddr = _iph_saddr[_h_iph[H]];
	ip_daddr = _iph_daddr[_h_iph[H]];
};

/*
 * The facts that a socket has about a packet that is gone: it came from the
 * peer.  Its length is unknown.
 */
translator ipinfo_t < struct sock *S > {
	ip_ver = _sk_is_v4[S] ? 4 : 6;
	ip_saddr = _sk_raddr[S];
	ip_daddr = _sk_laddr[S];
};

translator ifinfo_t < struct net_device *N > {
	if_name = N == NULL ? "" : stringof(N->name);
	if_local = N != NULL && (N->flags & IFF_LOOPBACK) != 0;
	if_ipstack = N == NULL ? 0 : N->nd_net.net->ns.inum;
	if_addr = (uintptr_t)N;
};

translator ipv4info_t < struct iphdr *H > {
	ipv4_ver = H == NULL ? 0 : 4;
	ipv4_ihl = H == NULL ? 0 : _iph_len[H];
	ipv4_tos = H == NULL ? 0 : H->tos;
	ipv4_length = H == NULL ? 0 : ntohs(H->tot_len);
	ipv4_ident = H == NULL ? 0 : ntohs(H->id);
	ipv4_flags = H == NULL ? 0 : ntohs(H->frag_off) >> 12 & 14;
	ipv4_offset = H == NULL ? 0 : (ntohs(H->frag_off) & 0x1fff) << 3;
	ipv4_ttl = H == NULL ? 0 : H->ttl;
	ipv4_protocol = H == NULL ? 0 : H->protocol;
	ipv4_protostr = H == NULL ? "" : _ipproto_str[H->protocol];
	ipv4_checksum = H == NULL ? 0 : ntohs(H->check);
	ipv4_src = H == NULL ? 0 : H->saddr;
	ipv4_dst = H == NULL ? 0 : H->daddr;
	ipv4_saddr = H == NULL ? "" : inet_ntoa((ipaddr_t *)&H->saddr);
	ipv4_daddr = H == NULL ? "" : inet_ntoa((ipaddr_t *)&H->daddr);
	ipv4_hdr = H;
};

translator ipv6info_t < struct ipv6hdr *H > {
	ipv6_ver = H == NULL ? 0 : 6;
	ipv6_tclass = H == NULL ? 0 :
	    ntohl(*(uint32_t *)H) >> 20 & 0xff;
	ipv6_flow = H == NULL ? 0 : ntohl(*(uint32_t *)H) & 0xfffff;
	ipv6_plen = H == NULL ? 0 : ntohs(H->payload_len);
	ipv6_nexthdr = H == NULL ? 0 : H->nexthdr;
	ipv6_nextstr = H == NULL ? "" : _ipproto_str[H->nexthdr];
	ipv6_hlim = H == NULL ? 0 : H->hop_limit;
	ipv6_src = H == NULL ? NULL : &H->saddr;
	ipv6_dst = H == NULL ? NULL : &H->daddr;
	ipv6_saddr = H == NULL ? "" : inet_ntoa6(&H->saddr);
	ipv6_daddr = H == NULL ? "" : inet_ntoa6(&H->daddr);
	ipv6_hdr = H;
};

/* ---- the provider -------------------------------------------------------- */

provider ip {
	probe send(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    struct net_device *N, struct iphdr *H4, struct ipv6hdr *H6) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, ifinfo_t *N,
	    ipv4info_t *H4, ipv6info_t *H6);
	probe receive(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    struct net_device *N, struct iphdr *H4, struct ipv6hdr *H6) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, ifinfo_t *N,
	    ipv4info_t *H4, ipv6info_t *H6);
	probe drop__in(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    struct net_device *N, struct iphdr *H4, struct ipv6hdr *H6) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, ifinfo_t *N,
	    ipv4info_t *H4, ipv6info_t *H6);
	probe drop__out(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    struct net_device *N, struct iphdr *H4, struct ipv6hdr *H6) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, ifinfo_t *N,
	    ipv4info_t *H4, ipv6info_t *H6);
};

#pragma D attributes Evolving/Evolving/ISA provider ip provider
#pragma D attributes Evolving/Evolving/ISA provider ip name
#pragma D attributes Evolving/Evolving/ISA provider ip args

inline struct iphdr *_iph_if4[struct iphdr *H] = _iph_ver[H] == 4 ? H : NULL;

inline struct ipv6hdr *_iph_if6[struct iphdr *H] =
    _iph_ver[H] == 6 ? (struct ipv6hdr *)H : NULL;

sdt:net::net_dev_queue
/_skb_is_sent[args[0]]/
{
	fire("ip:::send", args[0], args[0]->sk,
	    _skb_h[args[0], _skb_sent[args[0]]], args[0]->dev,
	    _iph_if4[_skb_sent[args[0]]], _iph_if6[_skb_sent[args[0]]]);
}

sdt:net::netif_receive_skb
/_skb_is_received[args[0]]/
{
	fire("ip:::receive", args[0], args[0]->sk,
	    _skb_h[args[0], _skb_received[args[0]]], args[0]->dev, _iph_if4[_skb_received[args[0]]],
	    _iph_if6[_skb_received[args[0]]]);
}

/*
 * Was a dropped packet incoming?  It was if it has the number of its device, or
 * if it was dropped before it got one.
 */
inline int _skb_came_in[struct sk_buff *B, int why] = B->skb_iif != 0 ||
    why == SKB_DROP_REASON_CPU_BACKLOG || why == SKB_DROP_REASON_XDP;

/* In a socket's queue, the member for the device has another use. */
inline struct net_device *_skb_dev[struct sk_buff *B] =
    (uintptr_t)B->dev >> 48 == 0xffff ? B->dev : NULL;

sdt:skb::kfree_skb
/_skb_is_ip[args[0]] && _skb_came_in[args[0], args[2]]/
{
	fire("ip:::drop-in", args[0], args[0]->sk, _skb_sent[args[0]],
	    _skb_dev[args[0]], _iph_if4[_skb_sent[args[0]]],
	    _iph_if6[_skb_sent[args[0]]]);
}

sdt:skb::kfree_skb
/_skb_is_ip[args[0]] && !_skb_came_in[args[0], args[2]]/
{
	fire("ip:::drop-out", args[0], args[0]->sk, _skb_sent[args[0]],
	    _skb_dev[args[0]], _iph_if4[_skb_sent[args[0]]],
	    _iph_if6[_skb_sent[args[0]]]);
}

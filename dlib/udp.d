/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The udp provider: datagrams, as sockets send them and as they arrive.
 *
 * UDP sockets need not be connected: addresses and ports are those of the
 * datagram.  So a udpsinfo_t is made of a number, U: the struct sk_buff of a
 * sent datagram; or the IP header of a received one, with bit 63 cleared, which
 * is 1 in the kernel's addresses.
 */
typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;	/* including this header */
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;
} udpinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;	/* the struct sock; 0: unknown */
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

translator udpinfo_t < struct udphdr *U > {
	udp_sport = ntohs(U->source);
	udp_dport = ntohs(U->dest);
	udp_length = ntohs(U->len);
	udp_checksum = ntohs(U->check);
	udp_hdr = U;
};

inline uint64_t _udp_received[struct iphdr *H] = (uintptr_t)H & ~(1ULL << 63);

inline int _udp_is_received[uint64_t U] = U >> 63 == 0;

inline struct iphdr *_udp_iph[uint64_t U] = _udp_is_received[U] ?
    (struct iphdr *)(U | 1ULL << 63) : _skb_sent[(struct sk_buff *)U];

inline struct udphdr *_udp_udph[uint64_t U] =
    (struct udphdr *)_iph_next[_udp_iph[U]];

translator udpsinfo_t < uint64_t U > {
	udps_addr = _udp_is_received[U] ? 0 :
	    (uintptr_t)((struct sk_buff *)U)->sk;
	udps_lport = ntohs(_udp_is_received[U] ? _udp_udph[U]->dest :
	    _udp_udph[U]->source);
	udps_rport = ntohs(_udp_is_received[U] ? _udp_udph[U]->source :
	    _udp_udph[U]->dest);
	udps_laddr = _udp_is_received[U] ? _iph_daddr[_udp_iph[U]] :
	    _iph_saddr[_udp_iph[U]];
	udps_raddr = _udp_is_received[U] ? _iph_saddr[_udp_iph[U]] :
	    _iph_daddr[_udp_iph[U]];
};

provider udp {
	probe send(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    uint64_t U, struct udphdr *P) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, udpsinfo_t *U,
	    udpinfo_t *P);
	probe receive(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    uint64_t U, struct udphdr *P) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, udpsinfo_t *U,
	    udpinfo_t *P);
};

#pragma D attributes Evolving/Evolving/ISA provider udp provider
#pragma D attributes Evolving/Evolving/ISA provider udp name
#pragma D attributes Evolving/Evolving/ISA provider udp args

sdt:net::net_dev_queue
/_skb_is_ours[args[0]] && _iph_proto[_skb_sent[args[0]]] == IPPROTO_UDP/
{
	fire("udp:::send", args[0], args[0]->sk, _skb_sent[args[0]],
	    (uintptr_t)args[0], _iph_next[_skb_sent[args[0]]]);
}

fbt::udp_rcv:entry, fbt::udpv6_rcv:entry
{
	fire("udp:::receive", args[0], args[0]->sk, _skb_sent[args[0]],
	    _udp_received[_skb_sent[args[0]]], _iph_next[_skb_sent[args[0]]]);
}

/* If functions cannot be traced. */
sdt:net::netif_receive_skb
/!exists("fbt::udp_rcv:entry") && _skb_is_for_us[args[0]] &&
    _iph_proto[_skb_received[args[0]]] == IPPROTO_UDP/
{
	fire("udp:::receive", args[0], args[0]->sk, _skb_received[args[0]],
	    _udp_received[_skb_received[args[0]]],
	    _iph_next[_skb_received[args[0]]]);
}

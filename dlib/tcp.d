/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tcp provider: segments, connections and their states.
 *
 * The known facts of a connection depend on the place.  Where there is no
 * socket yet, or none any more, only addresses and ports are known, from the
 * segment, and perhaps a state.  So a tcpsinfo_t is made of a number, K: an
 * address whose upper bits, all 1 in the kernel's addresses, say what it points
 * to.
 *
 *	bit 63	  0: a retransmission
 *	bit 62	  0: the IP header of a segment that was received
 *	bit 61	  0: the IP header of a segment that is sent
 *		  neither: the struct sock
 *	60 to 57  the state; 15: that of the socket
 */
inline int TCP_STATE_IDLE = 0;
inline int TCP_STATE_ESTABLISHED = 1;
inline int TCP_STATE_SYN_SENT = 2;
inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;
inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8;
inline int TCP_STATE_LAST_ACK = 9;
inline int TCP_STATE_LISTEN = 10;
inline int TCP_STATE_CLOSING = 11;
/* Other systems have this state; no socket is in it here. */
inline int TCP_STATE_BOUND = 13;

/* FreeBSD's names */
inline int TCPS_ESTABLISHED = TCP_STATE_ESTABLISHED;
inline int TCPS_SYN_SENT = TCP_STATE_SYN_SENT;
inline int TCPS_SYN_RECEIVED = TCP_STATE_SYN_RECEIVED;
inline int TCPS_FIN_WAIT_1 = TCP_STATE_FIN_WAIT_1;
inline int TCPS_FIN_WAIT_2 = TCP_STATE_FIN_WAIT_2;
inline int TCPS_TIME_WAIT = TCP_STATE_TIME_WAIT;
inline int TCPS_CLOSED = TCP_STATE_CLOSED;
inline int TCPS_CLOSE_WAIT = TCP_STATE_CLOSE_WAIT;
inline int TCPS_LAST_ACK = TCP_STATE_LAST_ACK;
inline int TCPS_LISTEN = TCP_STATE_LISTEN;
inline int TCPS_CLOSING = TCP_STATE_CLOSING;

inline string tcp_state_string[int32_t s] =
    s == TCP_STATE_IDLE ? "state-idle" :
    s == TCP_STATE_ESTABLISHED ? "state-established" :
    s == TCP_STATE_SYN_SENT ? "state-syn-sent" :
    s == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
    s == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
    s == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
    s == TCP_STATE_TIME_WAIT ? "state-time-wait" :
    s == TCP_STATE_CLOSED ? "state-closed" :
    s == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
    s == TCP_STATE_LAST_ACK ? "state-last-ack" :
    s == TCP_STATE_LISTEN ? "state-listen" :
    s == TCP_STATE_CLOSING ? "state-closing" :
    s == TCP_STATE_BOUND ? "state-bound" : "<unknown>";

inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PSH = 0x08;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;	/* length of this header */
	uint8_t tcp_flags;	/* TH_* */
	uint16_t tcp_window;	/* not scaled */
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	struct tcphdr *tcp_hdr;
} tcpinfo_t;

/*
 * Without a socket (tcps_addr is 0), members that the segment does not give are
 * 0, and an unknown state is -1.
 */
typedef struct tcpsinfo {
	uintptr_t tcps_addr;	/* the struct sock */
	int tcps_local;		/* both ends are on this host */
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;	/* TCP_STATE_* */
	uint32_t tcps_iss;
	uint32_t tcps_irs;	/* the peer's first sequence number */
	uint32_t tcps_suna;	/* sent, not acknowledged */
	uint32_t tcps_snxt;	/* to be sent next */
	uint32_t tcps_rack;	/* received, and acknowledged */
	uint32_t tcps_rnxt;	/* expected next */
	uint32_t tcps_swnd;	/* windows, in bytes */
	uint32_t tcps_snd_ws;	/* their scales, in bits */
	uint32_t tcps_rwnd;
	uint32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;	/* in bytes */
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;	/* highest one acknowledged by SACK */
	uint32_t tcps_sack_snxt;	/* the same */
	uint32_t tcps_rto;	/* ms */
	uint32_t tcps_mss;
	int tcps_retransmit;	/* send: this segment is a retransmission */
	uint32_t tcps_rtt;	/* us, smoothed */
	uint32_t tcps_rtt_sd;	/* us, its mean deviation */
} tcpsinfo_t;

#pragma D unavailable tcpsinfo_t tcps_iss Linux does not keep the first sequence number that it sent
#pragma D unavailable tcpsinfo_t tcps_active Linux does not keep which side opened a connection; tcp:::connect-established and accept-established tell
#pragma D unavailable tcpsinfo_t tcps_srtt its unit is another kernel's; tcps_rtt is in microseconds

typedef struct tcplsinfo {
	int32_t tcps_state;	/* before the change */
} tcplsinfo_t;

inline uint8_t _tcph_flags[struct tcphdr *T] = *((uint8_t *)T + 13);

inline int _tcph_len[struct tcphdr *T] = (*((uint8_t *)T + 12) >> 4) << 2;

translator tcpinfo_t < struct tcphdr *T > {
	tcp_sport = ntohs(T->source);
	tcp_dport = ntohs(T->dest);
	tcp_seq = ntohl(T->seq);
	tcp_ack = ntohl(T->ack_seq);
	tcp_offset = _tcph_len[T];
	tcp_flags = _tcph_flags[T];
	tcp_window = ntohs(T->window);
	tcp_checksum = ntohs(T->check);
	tcp_urgent = ntohs(T->urg_ptr);
	tcp_hdr = T;
};

translator tcplsinfo_t < int s > {
	tcps_state = s;
};

/*
 * States in which a socket is incomplete: 6, TIME_WAIT, and 12, a requested
 * connection.  The socket that answers for others has another type.
 */
inline int _sk_is_tcp[struct sock *S] = S != NULL &&
    S->__sk_common.skc_state != 6 && S->__sk_common.skc_state != 12 &&
    S->sk_protocol == IPPROTO_TCP && S->sk_type == SOCK_STREAM;

/* ---- the number K -------------------------------------------------------- */

inline uint64_t _tk[uintptr_t p, uint64_t state] =
    (p & ~(15ULL << 57)) | (state << 57);

inline uint64_t _tk_received[uintptr_t h] = h & ~(1ULL << 62);

inline uint64_t _tk_sent[uintptr_t h, struct sock *S] =
    _tk[h, S == NULL ? 15 : S->__sk_common.skc_state == 6 ? 6 :
    S->__sk_common.skc_state == 12 ? 3 : 15] & ~(1ULL << 61);

inline int _tk_state[uint64_t K] = K >> 57 & 15;
inline int _tk_is_received[uint64_t K] = (K >> 62 & 1) == 0;
inline int _tk_is_sock[uint64_t K] = (K >> 61 & 3) == 3;
inline struct iphdr *_tk_iph[uint64_t K] =
    (struct iphdr *)(K | 0xfe00000000000000);
inline struct sock *_tk_sk[uint64_t K] =
    (struct sock *)(K | 0xfe00000000000000);
inline struct tcp_sock *_tk_tp[uint64_t K] =
    (struct tcp_sock *)(K | 0xfe00000000000000);
inline struct tcphdr *_tk_tcph[uint64_t K] =
    (struct tcphdr *)_iph_next[_tk_iph[K]];

inline uint64_t _tk_cwnd[uint64_t K, uint64_t segments] =
    segments * _tk_tp[K]->mss_cache;

/* The first member of tcp_skb_cb is the sequence number. */
inline uint32_t _tk_sacked[uint64_t K] =
    _tk_tp[K]->sacked_out == 0 ? _tk_tp[K]->snd_una :
    _tk_tp[K]->highest_sack == NULL ? _tk_tp[K]->snd_nxt :
    *(uint32_t *)_tk_tp[K]->highest_sack->cb;

translator tcpsinfo_t < uint64_t K > {
	tcps_addr = _tk_is_sock[K] ? (uintptr_t)_tk_sk[K] : 0;
	tcps_local = _tk_is_sock[K] ? _sk_is_local[_tk_sk[K]] :
	    _iph_is_local[_tk_iph[K]];
	tcps_lport = _tk_is_sock[K] ? _sk_lport[_tk_sk[K]] :
	    _tk_is_received[K] ? ntohs(_tk_tcph[K]->dest) :
	    ntohs(_tk_tcph[K]->source);
	tcps_rport = _tk_is_sock[K] ? _sk_rport[_tk_sk[K]] :
	    _tk_is_received[K] ? ntohs(_tk_tcph[K]->source) :
	    ntohs(_tk_tcph[K]->dest);
	tcps_laddr = _tk_is_sock[K] ? _sk_laddr[_tk_sk[K]] :
	    _tk_is_received[K] ? _iph_daddr[_tk_iph[K]] : _iph_saddr[_tk_iph[K]];
	tcps_raddr = _tk_is_sock[K] ? _sk_raddr[_tk_sk[K]] :
	    _tk_is_received[K] ? _iph_saddr[_tk_iph[K]] : _iph_daddr[_tk_iph[K]];
	tcps_state = _tk_state[K] != 15 ? _tk_state[K] :
	    _tk_is_sock[K] ? _tk_sk[K]->__sk_common.skc_state : -1;
	tcps_irs = _tk_is_sock[K] && _tk_tp[K]->rcv_nxt != 0 ?
	    _tk_tp[K]->rcv_nxt - _tk_tp[K]->bytes_received - 1 : 0;
	tcps_suna = _tk_is_sock[K] ? _tk_tp[K]->snd_una : 0;
	tcps_snxt = _tk_is_sock[K] ? _tk_tp[K]->snd_nxt : 0;
	tcps_rack = _tk_is_sock[K] ? _tk_tp[K]->rcv_wup : 0;
	tcps_rnxt = _tk_is_sock[K] ? _tk_tp[K]->rcv_nxt : 0;
	tcps_swnd = _tk_is_sock[K] ? _tk_tp[K]->snd_wnd : 0;
	tcps_snd_ws = _tk_is_sock[K] ? _tk_tp[K]->rx_opt.snd_wscale : 0;
	tcps_rwnd = _tk_is_sock[K] ? _tk_tp[K]->rcv_wnd : 0;
	tcps_rcv_ws = _tk_is_sock[K] ? _tk_tp[K]->rx_opt.rcv_wscale : 0;
	tcps_cwnd = _tk_is_sock[K] ? _tk_cwnd[K, _tk_tp[K]->snd_cwnd] : 0;
	/* 0x7fffffff segments: no threshold yet */
	tcps_cwnd_ssthresh = !_tk_is_sock[K] ? 0 :
	    _tk_tp[K]->snd_ssthresh >= 0x7fffffff ? 0xffffffff :
	    _tk_cwnd[K, _tk_tp[K]->snd_ssthresh];
	tcps_sack_fack = !_tk_is_sock[K] ? 0 : _tk_sacked[K];
	tcps_sack_snxt = !_tk_is_sock[K] ? 0 : _tk_sacked[K];
	/* both are in jiffies, and the latter is 200 ms, TCP_DELACK_MAX */
	tcps_rto = !_tk_is_sock[K] ? 0 :
	    (uint64_t)_tk_tp[K]->inet_conn.icsk_rto * 200 /
	    _tk_tp[K]->inet_conn.icsk_delack_max;
	tcps_mss = _tk_is_sock[K] ? _tk_tp[K]->mss_cache : 0;
	tcps_retransmit = K >> 63 == 0;
	tcps_rtt = _tk_is_sock[K] ? _tk_tp[K]->srtt_us >> 3 : 0;
	tcps_rtt_sd = _tk_is_sock[K] ? _tk_tp[K]->mdev_us >> 2 : 0;
};

/* The segment that ended a handshake, as the socket describes it. */
translator tcpinfo_t < struct sock *S > {
	tcp_sport = _sk_rport[S];
	tcp_dport = _sk_lport[S];
};

/* args[i] is made of argi in all probes, so that one clause can serve
 * several. */
provider tcp {
	probe send(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    uint64_t K, struct tcphdr *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe receive(struct sk_buff *B, struct sock *S, struct iphdr *H,
	    uint64_t K, struct tcphdr *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe connect__request(struct sk_buff *B, struct sock *S,
	    struct iphdr *H, uint64_t K, struct tcphdr *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe connect__established(struct sk_buff *B, struct sock *S,
	    struct sock *H, uint64_t K, struct sock *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe connect__refused(struct sk_buff *B, struct sock *S,
	    struct sock *H, uint64_t K, struct sock *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe accept__established(struct sk_buff *B, struct sock *S,
	    struct sock *H, uint64_t K, struct sock *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe accept__refused(struct sk_buff *B, struct sock *S,
	    struct iphdr *H, uint64_t K, struct tcphdr *T) :
	    (pktinfo_t *B, csinfo_t *S, ipinfo_t *H, tcpsinfo_t *K,
	    tcpinfo_t *T);
	probe state__change(void *B, struct sock *S, void *H, uint64_t K,
	    void *T, int last) :
	    (void *B, csinfo_t *S, void *H, tcpsinfo_t *K, void *T,
	    tcplsinfo_t *last);
};

#pragma D attributes Evolving/Evolving/ISA provider tcp provider
#pragma D attributes Evolving/Evolving/ISA provider tcp name
#pragma D attributes Evolving/Evolving/ISA provider tcp args

/* ---- sent ---------------------------------------------------------------- */

inline int _skb_is_tcp[struct sk_buff *B] = _skb_is_ours[B] &&
    _iph_proto[_skb_sent[B]] == IPPROTO_TCP;

inline struct tcphdr *_skb_tcph[struct sk_buff *B] =
    (struct tcphdr *)_iph_next[_skb_sent[B]];

/*
 * Does the segment take sequence numbers that were sent before?  A
 * retransmission is in total_retrans.  The first sending may come late, when
 * snd_nxt is already higher: it waited until the neighbour's address was known.
 */
inline int _skb_is_again[struct sk_buff *B] =
    ((struct tcp_sock *)B->sk)->total_retrans != 0 &&
    (int)(ntohl(_skb_tcph[B]->seq) - ((struct tcp_sock *)B->sk)->snd_nxt) < 0 &&
    ((_tcph_flags[_skb_tcph[B]] & (TH_SYN | TH_FIN)) != 0 ||
    _iph_plen[_skb_sent[B]] > _tcph_len[_skb_tcph[B]]);

inline uint64_t _skb_k_sent[struct sk_buff *B] = !_sk_is_tcp[B->sk] ?
    _tk_sent[(uintptr_t)_skb_sent[B], B->sk] :
    _skb_is_again[B] ? (uintptr_t)B->sk & ~(1ULL << 63) : (uintptr_t)B->sk;

sdt:net::net_dev_queue
/_skb_is_tcp[args[0]]/
{
	fire("tcp:::send", args[0], args[0]->sk,
	    _skb_h[args[0], _skb_sent[args[0]]],
	    _skb_k_sent[args[0]], _skb_tcph[args[0]]);
}

/* Is it the first SYN of a connection? */
sdt:net::net_dev_queue
/_skb_is_tcp[args[0]] &&
    (_tcph_flags[_skb_tcph[args[0]]] & (TH_SYN | TH_ACK)) == TH_SYN &&
    !_skb_is_again[args[0]]/
{
	fire("tcp:::connect-request", args[0], args[0]->sk, _skb_sent[args[0]],
	    _skb_k_sent[args[0]], _skb_tcph[args[0]]);
}

/* Is it the answer to a segment without ACK, a SYN?  RFC 9293, 3.5.2. */
sdt:net::net_dev_queue
/_skb_is_tcp[args[0]] && _skb_tcph[args[0]]->seq == 0 &&
    (_tcph_flags[_skb_tcph[args[0]]] & (TH_RST | TH_ACK)) == (TH_RST | TH_ACK)/
{
	fire("tcp:::accept-refused", args[0], args[0]->sk, _skb_sent[args[0]],
	    _skb_k_sent[args[0]], _skb_tcph[args[0]]);
}

/* ---- received ------------------------------------------------------------ */

inline struct tcphdr *_skb_tcph_in[struct sk_buff *B] =
    (struct tcphdr *)_iph_next[_skb_received[B]];

/*
 * The kernel joins segments that wait for a busy socket.  The IP header stays
 * that of the first, so the length is the packet's.
 */
fbt::tcp_rcv_established:entry, fbt::tcp_rcv_state_process:entry
{
	fire("tcp:::receive", args[1], args[0], _h_of_skb[args[1]],
	    (uintptr_t)args[0], _skb_tcph[args[1]]);
}

/*
 * A segment for a connection in TIME_WAIT, unless it is the SYN of a new
 * connection (TCP_TW_SYN), which the listening socket receives.
 */
self uintptr_t tcp_tw;
self struct sk_buff *tcp_tw_skb;

fbt::tcp_timewait_state_process:entry
{
	self->tcp_tw = (uintptr_t)args[0];
	self->tcp_tw_skb = args[1];
}

fbt::tcp_timewait_state_process:return
/args[1] != TCP_TW_SYN/
{
	fire("tcp:::receive", self->tcp_tw_skb, self->tcp_tw,
	    _h_of_skb[self->tcp_tw_skb],
	    _tk[_tk_received[(uintptr_t)_skb_sent[self->tcp_tw_skb]],
	    TCP_STATE_TIME_WAIT], _skb_tcph[self->tcp_tw_skb]);
}

/* If functions cannot be traced. */
sdt:net::netif_receive_skb
/!exists("fbt::tcp_rcv_established:entry") && _skb_is_for_us[args[0]] &&
    _iph_proto[_skb_received[args[0]]] == IPPROTO_TCP/
{
	fire("tcp:::receive", args[0], args[0]->sk,
	    _skb_h[args[0], _skb_received[args[0]]],
	    _tk_received[(uintptr_t)_skb_received[args[0]]],
	    _skb_tcph_in[args[0]]);
}

/* ---- connections: (socket, old state, new state), before the change ------ */

sdt:sock::inet_sock_set_state
/args[0]->sk_protocol == IPPROTO_TCP/
{
	fire("tcp:::state-change", NULL, args[0], NULL,
	    _tk[(uintptr_t)args[0], args[2]], NULL, args[1]);
}

sdt:sock::inet_sock_set_state
/args[0]->sk_protocol == IPPROTO_TCP && args[1] == TCP_STATE_SYN_SENT &&
    args[2] == TCP_STATE_ESTABLISHED/
{
	fire("tcp:::connect-established", NULL, args[0], args[0],
	    _tk[(uintptr_t)args[0], args[2]], args[0]);
}

sdt:sock::inet_sock_set_state
/args[0]->sk_protocol == IPPROTO_TCP && args[1] == TCP_STATE_SYN_RECEIVED &&
    args[2] == TCP_STATE_ESTABLISHED/
{
	fire("tcp:::accept-established", NULL, args[0], args[0],
	    _tk[(uintptr_t)args[0], args[2]], args[0]);
}

sdt:tcp::tcp_receive_reset
/args[0]->__sk_common.skc_state == TCP_STATE_SYN_SENT/
{
	fire("tcp:::connect-refused", NULL, args[0], args[0],
	    (uintptr_t)args[0], args[0]);
}

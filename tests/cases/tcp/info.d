/*
 * What a sender's socket tells agrees with the segments that it sends: sequence
 * numbers count from those of the handshake.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net tcp:2
 */
inline int port = 10000 + $target % 2500 * 20;

tcp:::send
/args[4]->tcp_sport == port && args[4]->tcp_flags & TH_SYN/
{
	first = args[4]->tcp_seq;
	peer = args[4]->tcp_ack - 1;
	printf("SYN %d %d %d\n", args[3]->tcps_state == TCP_STATE_SYN_RECEIVED,
	    args[3]->tcps_addr == 0, args[3]->tcps_lport - port);
}

tcp:::send
/args[4]->tcp_sport == port &&
    args[2]->ip_plength - args[4]->tcp_offset == 7/
{
	printf("%d %d %d %d %d %d\n", args[4]->tcp_seq - first,
	    args[4]->tcp_ack - peer, args[3]->tcps_suna - first,
	    args[3]->tcps_snxt - first, args[3]->tcps_rnxt - peer,
	    args[3]->tcps_irs - peer);
	printf("%d\n", args[3]->tcps_rack == args[4]->tcp_ack);
	printf("%d %d %d %d %d\n", args[3]->tcps_sack_snxt ==
	    args[3]->tcps_suna, args[3]->tcps_local, args[3]->tcps_state,
	    args[3]->tcps_retransmit, args[3]->tcps_cwnd_ssthresh == 0xffffffff);
	printf("%d %d %d %d %d\n", args[3]->tcps_mss > 500,
	    args[3]->tcps_cwnd % args[3]->tcps_mss, args[3]->tcps_cwnd > 0,
	    args[3]->tcps_rto >= 200, args[3]->tcps_rtt > 0 &&
	    args[3]->tcps_rtt_sd > 0);
	printf("%d %d\n", args[3]->tcps_swnd > 0 && (args[3]->tcps_swnd &
	    ((1 << args[3]->tcps_snd_ws) - 1)) == 0, args[4]->tcp_window ==
	    args[3]->tcps_rwnd >> args[3]->tcps_rcv_ws);
	printf("%d %d %d\n", args[4]->tcp_urgent, args[4]->tcp_checksum ==
	    ntohs(args[4]->tcp_hdr->check), args[1]->cs_addr ==
	    args[3]->tcps_addr);
}

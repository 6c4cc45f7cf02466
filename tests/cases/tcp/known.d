/*
 * What a sender's socket tells is what the program is told by TCP_INFO: windows
 * and their scales (the receiver has 1,500,000 bytes: 5 bits), ssthresh, which
 * there is after a loss, times; then, of segments of 5, 6 and 8 bytes, where
 * what was acknowledged by SACK ends, and the last.
 * @@args: -q
 * @@needs: prog:net cmd:tc
 * @@run: $PROGS/net known:2
 */
inline int port = 10000 + $target % 2500 * 20;

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	swnd = arg2;
	scales = arg3;
	cwnd = arg4;
	ssthresh = arg5;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 2/
{
	rto = arg2;
	rtt = arg3;
	rtt_sd = arg4;
	mss = arg5;
	told = 1;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 3/
{
	gap = 1;
}

tcp:::send
/args[4]->tcp_sport == port && told &&
    args[2]->ip_plength - args[4]->tcp_offset == 7/
{
	printf("windows %d %d %d\n", args[3]->tcps_swnd == swnd && swnd > 0,
	    args[3]->tcps_snd_ws, (args[3]->tcps_snd_ws << 4 |
	    args[3]->tcps_rcv_ws) == scales);
	printf("congestion %d %d %d\n", args[3]->tcps_cwnd == cwnd,
	    args[3]->tcps_cwnd_ssthresh == ssthresh, ssthresh >= 2 * mss &&
	    ssthresh < 0x7fffffff);
	printf("times %d %d %d\n", args[3]->tcps_rto == rto && rto >= 200,
	    args[3]->tcps_rtt == rtt, args[3]->tcps_rtt_sd == rtt_sd);
	printf("mss %d\n", args[3]->tcps_mss == mss);
	told = 0;
}

tcp:::send
/args[4]->tcp_sport == port && gap && args[3]->tcps_retransmit/
{
	printf("gap %d %d\n", args[3]->tcps_sack_snxt - args[3]->tcps_suna,
	    args[3]->tcps_snxt - args[3]->tcps_suna);
	printf("same %d\n",
	    args[3]->tcps_sack_fack == args[3]->tcps_sack_snxt);
	gap = 0;
}

/*
 * States have FreeBSD's names, too.
 * @@args: -q
 */
BEGIN
{
	printf("%s %s %s\n", tcp_state_string[TCPS_ESTABLISHED],
	    tcp_state_string[TCPS_FIN_WAIT_2], tcp_state_string[TCPS_LISTEN]);
	printf("%d %d %d %d\n", TCPS_CLOSED == TCP_STATE_CLOSED,
	    TCPS_SYN_SENT == TCP_STATE_SYN_SENT,
	    TCPS_SYN_RECEIVED == TCP_STATE_SYN_RECEIVED,
	    TCPS_CLOSE_WAIT == TCP_STATE_CLOSE_WAIT);
	printf("%d %d %d %d\n", TCPS_FIN_WAIT_1 == TCP_STATE_FIN_WAIT_1,
	    TCPS_CLOSING == TCP_STATE_CLOSING,
	    TCPS_LAST_ACK == TCP_STATE_LAST_ACK,
	    TCPS_TIME_WAIT == TCP_STATE_TIME_WAIT);
	exit(0);
}

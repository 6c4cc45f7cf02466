/*
 * The tracepoint that was meant is suggested.
 * @@needs: bpf
 */
sdt:sched::sched_swich { }

/*
 * The kernel puts no breakpoint on the jump of a dtrace that traces the process
 * from inside: that is refused, and the program goes on.
 * @@needs: prog:calls_static
 * @@kernel: two dtraces trace in different substrates
 */
BEGIN { exit(0); }

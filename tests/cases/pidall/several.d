/*
 * All processes that map a file are traced, whether they run already or begin
 * while dtrace traces: every call is there, and probeprov and pid are of the
 * process that made it.
 * @@needs: prog:calls
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

/*
 * The process substrate refuses pid*, also if it comes later.
 * @@needs: prog:calls
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

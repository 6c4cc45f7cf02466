/*
 * One pattern is of programs of 64 and of 32 bits; each has its arguments
 * elsewhere.
 * @@needs: prog:calls prog:calls32 bits32
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

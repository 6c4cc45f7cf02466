/*
 * Of a stripped file an address is that of the file, wherever processes have
 * mapped it.
 * @@needs: prog:calls_pie cmd:strip cmd:nm
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

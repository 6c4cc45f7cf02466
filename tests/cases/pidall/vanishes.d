/*
 * Processes are killed while they are traced and while dtrace looks for files;
 * the calls of the others count.
 * @@needs: prog:calls
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

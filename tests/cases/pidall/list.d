/*
 * A listing has a probe of all processes once for each file and function,
 * however many processes have the file.
 * @@needs: prog:calls
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

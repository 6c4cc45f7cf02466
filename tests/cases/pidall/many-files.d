/*
 * A pattern of more files than anyone means is refused.
 * @@needs: cmd:python3
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

/*
 * Probes of all processes leave out sites at which another dtrace has a jump in
 * a process, and such a site that is named alone is refused: the kernel's
 * breakpoint would break the jump, and end the program.  Sites without a jump
 * are traced.
 * @@needs: prog:usdtapp
 * @@kernel: probes of all processes need the kernel
 */
BEGIN { exit(0); }

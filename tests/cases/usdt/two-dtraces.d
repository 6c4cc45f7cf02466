/*
 * Where a dtrace has jumps in a process, the probes of all processes leave the
 * places out, and one that is named alone is refused: the kernel's breakpoint
 * would break the jump, and end the program.  Sites without a jump are traced.
 * @@needs: prog:usdtapp
 * @@kernel: probes of all processes need the kernel
 */
BEGIN { exit(0); }

/*
 * Where a dtrace has jumps in a process, a pattern of all processes leaves the
 * places out, and one that is named alone is refused: the kernel's breakpoint
 * would break the jump, and end the program.  Both dtraces have all calls.
 * @@needs: prog:calls cmd:nm
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

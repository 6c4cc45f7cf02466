/*
 * A pattern of all processes leaves out places at which another dtrace has a
 * jump in a process, and such a place that is named alone is refused: the
 * kernel's breakpoint would break the jump, and end the program.  Both dtraces
 * have all calls.
 * @@needs: prog:calls cmd:nm
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }

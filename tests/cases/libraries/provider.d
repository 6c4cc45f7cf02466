/*
 * A library defines a provider: probes of tracepoints, calls and clocks, with
 * their arguments; a clause that this kernel cannot have is left out, and says
 * why to whoever asks for its probe.
 * @@needs: prog:known
 */
BEGIN { exit(0); }

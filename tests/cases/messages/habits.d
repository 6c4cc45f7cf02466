/*
 * Words of bpftrace, SystemTap and the C library: the hint has D's word for it,
 * and what it says compiles.
 * @@needs: bpf speed
 */
BEGIN { exit(0); }

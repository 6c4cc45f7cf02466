/*
 * A point that should be an arrow, an arrow that should be a point, quotes that
 * make an integer of a name: what is written instead is said.
 * @@needs: bpf
 */
BEGIN { trace(curthread.pid); }

/*
 * The hint tells what to write: an arrow for a point, a point for an arrow,
 * double quotes where single ones make an integer of a name.
 * @@needs: bpf
 */
BEGIN { trace(curthread.pid); }

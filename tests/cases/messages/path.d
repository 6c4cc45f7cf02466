/*
 * bpftrace's descriptions with a path: D's words for them.
 * @@needs: nothing
 */
BEGIN { exit(0); }

/*
 * Mistakes of a new user: the answer to each says where, what, and what to do.
 * @@needs: root bpf speed
 */
BEGIN { exit(0); }

/*
 * Sixty mistakes of a new user: the answer says where, what, and what to do.
 * @@needs: root bpf speed
 */
BEGIN { exit(0); }

/*
 * D library net.d: constants are there when a script uses them.
 * @@args: -q
 */
BEGIN { printf("%d %d %d %d\n", AF_UNIX, AF_INET6, IPPROTO_TCP, SOCK_STREAM); exit(0); }

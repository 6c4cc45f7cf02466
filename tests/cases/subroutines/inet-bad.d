/*
 * Another family is an illegal operation, a wild address a fault.
 * @@args: -q
 */
BEGIN { trace(inet_ntop(1, alloca(16))); }
BEGIN { trace(inet_ntop(2, (void *)0xffffdeadbeef0000)); }
BEGIN { trace(inet_ntop(10, NULL)); }
BEGIN { trace(inet_ntoa((ipaddr_t *)0xffffdeadbeef0000)); }
BEGIN { trace(inet_ntoa6((void *)0xffffdeadbeef0000)); }
BEGIN { trace(link_ntop(0, alloca(20))); }
BEGIN { trace(link_ntop(1, (void *)0xffffdeadbeef0000)); }
BEGIN { trace(uuidstr((void *)0xffffdeadbeef0000)); }
BEGIN { exit(0); }

#!/usr/sbin/dtrace -s
/*
 * fmt-networks.d: ports and addresses as people write them, and their order of
 * bytes.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.split() == ["%04x" % __import__("socket").htons(0x1234), "%08x"
 *     % __import__("socket").htonl(0x12345678), "%016x" % int.from_bytes(
 *     (0x123456789abcdef0).to_bytes(8, "big"), "little"), "127.0.0.1", "::1",
 *     "4660"]
 */

#pragma D option quiet

BEGIN
{
	printf("%04x %08x %016x\n", htons(0x1234), htonl(0x12345678),
	    htonll(0x123456789abcdef0));
	this->v4 = (ipaddr_t *)alloca(sizeof (ipaddr_t));
	*this->v4 = htonl(0x7f000001);
	this->v6 = (struct in6_addr *)alloca(16);
	((uint8_t *)this->v6)[15] = 1;
	printf("%s %s %d\n", inet_ntoa(this->v4), inet_ntoa6(this->v6),
	    ntohs(htons(0x1234)));
	exit(0);
}

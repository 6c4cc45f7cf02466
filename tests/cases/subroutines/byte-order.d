/*
 * htons, htonl, htonll and back swap bytes on this machine.
 * @@args: -q
 */
BEGIN
{
	printf("%x\n", htons(0x1234));
	printf("%x\n", htonl(0x12345678));
	printf("%x\n", htonll(0x123456789abcdef0));
	printf("%x\n", ntohs(0x1234));
	printf("%x\n", ntohl(0x12345678));
	printf("%x\n", ntohll(0x123456789abcdef0));
	printf("%x\n", ntohs(htons(0xbeef)));
	printf("%x\n", ntohl(htonl(1)));
	printf("%x\n", ntohll(htonll(2)));
	exit(0);
}

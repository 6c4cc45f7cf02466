/*
 * link_ntop writes hardware addresses of Ethernet (1) and InfiniBand (32).
 * @@args: -q
 */
BEGIN
{
	this->p = (uint64_t *)alloca(24);
	this->p[0] = htonll(0x0010e08a715e0000);
	printf("%s\n", link_ntop(1, this->p));
	this->p[0] = htonll(0x80000404fe8c417a);
	this->p[1] = htonll(0x00000000000002c9);
	this->p[2] = htonll(0x02002931cd000000);
	printf("%s\n", link_ntop(32, this->p));
	exit(0);
}

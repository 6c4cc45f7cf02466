/*
 * uuidstr writes the 16 bytes of a UUID in their order.
 * @@args: -q
 */
BEGIN
{
	this->p = (uint64_t *)alloca(16);
	printf("%s\n", uuidstr(this->p));
	this->p[0] = htonll(0x6ba7b8109dad11d1);
	this->p[1] = htonll(0x80b400c04fd430c8);
	printf("%s\n", uuidstr(this->p));
	exit(0);
}

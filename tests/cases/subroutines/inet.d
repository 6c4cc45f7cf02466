/*
 * inet_ntoa, inet_ntoa6 and inet_ntop write addresses as RFC 1884 does.
 * @@args: -q
 */
BEGIN
{
	this->p = (ipaddr_t *)alloca(16);
	*this->p = htonl(0xc0a80117);
	printf("%s %s\n", inet_ntoa(this->p), inet_ntop(2, this->p));
	*this->p = 0xffffffff;
	printf("%s\n", inet_ntoa(this->p));
	*this->p = 0;
	printf("%s\n", inet_ntoa(this->p));
	printf("%s\n", inet_ntoa6(this->p));
	this->p[3] = htonl(1);
	printf("%s %s\n", inet_ntoa6(this->p), inet_ntop(10, this->p));
	this->p[0] = htonl(0xfe800000);
	this->p[2] = htonl(0x02144fff);
	this->p[3] = htonl(0xfe0b76c8);
	printf("%s\n", inet_ntoa6(this->p));
	this->p[0] = htonl(0x10000);
	this->p[1] = htonl(0x10000);
	this->p[2] = 0;
	this->p[3] = htonl(0x2);
	printf("%s\n", inet_ntoa6(this->p));
	this->p[0] = this->p[1] = 0;
	this->p[2] = htonl(0xffff);
	this->p[3] = htonl(0x7f000001);
	printf("%s\n", inet_ntoa6(this->p));
	this->p[2] = 0;
	printf("%s\n", inet_ntoa6(this->p));
	this->p[0] = htonl(0x10002);
	this->p[1] = htonl(0x30004);
	this->p[2] = htonl(0x50006);
	this->p[3] = htonl(0x70000);
	printf("%s\n", inet_ntoa6((in6_addr_t *)this->p));
	exit(0);
}

/*
 * A cast keeps the low bits and extends by the type's sign.
 * @@args: -q
 */
BEGIN
{
	this->x = 0x123456789abcdef0;
	printf("%d\n", (char)this->x);
	printf("%d\n", (unsigned char)this->x);
	printf("%d\n", (short)this->x);
	printf("%d\n", (unsigned short)this->x);
	printf("%d\n", (int)this->x);
	printf("%d\n", (unsigned int)this->x & 0xff);
	printf("%d\n", (char)300);
	printf("%d\n", (unsigned char)-1);
	printf("%d\n", (signed char)200);
	exit(0);
}

/*
 * memref puts an address and a size side by side.
 * @@args: -q
 */
BEGIN
{
	this->m = memref((void *)0x123456789, 77);
	printf("%x %d\n", this->m[0], this->m[1]);
	exit(0);
}

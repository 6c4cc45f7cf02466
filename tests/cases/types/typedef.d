/*
 * A typedef names a type.
 * @@args: -q
 */
typedef unsigned char byte_t;
typedef byte_t *byte_ptr;
byte_t b;
BEGIN
{
	b = 257;
	printf("%d %d %d\n", b, sizeof (byte_t), sizeof (byte_ptr));
	exit(0);
}

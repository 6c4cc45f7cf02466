/*
 * trace() of an unsigned number shows no sign.
 * @@args: -q
 */
BEGIN
{
	trace((uint64_t)0xffffffffffffffff);
	trace(" ");
	trace((uint8_t)255);
	trace(" ");
	trace((unsigned int)0xffffffff);
	trace("\n");
	exit(0);
}

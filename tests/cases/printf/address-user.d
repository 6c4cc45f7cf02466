/*
 * %A of an address that is no symbol's is plain hex.
 * @@args: -q
 */
BEGIN
{
	printf("[%A]\n", (uintptr_t)16);
	exit(0);
}

/*
 * %a of an address that is no symbol's is plain hex.
 * @@args: -q
 */
BEGIN
{
	printf("[%a]\n", (uintptr_t)16);
	exit(0);
}

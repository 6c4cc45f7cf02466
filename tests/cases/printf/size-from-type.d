/*
 * Without a size modifier the D type's size decides.
 * @@args: -q
 */
BEGIN
{
	printf("[%x]\n", (char)-1);
	printf("[%x]\n", (short)-1);
	printf("[%x]\n", -1);
	printf("[%x]\n", -1L);
	printf("[%d]\n", (char)-1);
	printf("[%u]\n", (short)-1);
	printf("[%u]\n", -1);
	printf("[%u]\n", -1L);
	printf("[%o]\n", (char)-1);
	exit(0);
}

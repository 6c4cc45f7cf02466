/*
 * strstr gives the rest from the first occurrence.
 * @@args: -q
 */
BEGIN
{
	printf("[%s]\n", strstr("banana", "nan"));
	printf("[%s]\n", strstr("banana", "banana"));
	printf("[%s]\n", strstr("banana", ""));
	printf("[%s]\n", strstr("aaab", "aab"));
	printf("[%s]\n", strstr("ababac", "abac"));
	exit(0);
}

/*
 * sizeof knows the LP64 sizes.
 * @@args: -q
 */
BEGIN
{
	printf("%d\n", sizeof (char));
	printf("%d\n", sizeof (short));
	printf("%d\n", sizeof (int));
	printf("%d\n", sizeof (long));
	printf("%d\n", sizeof (long long));
	printf("%d\n", sizeof (unsigned char));
	printf("%d\n", sizeof (void *));
	printf("%d\n", sizeof (char *));
	printf("%d\n", sizeof (int8_t));
	printf("%d\n", sizeof (uint16_t));
	printf("%d\n", sizeof (int32_t));
	printf("%d\n", sizeof (uint64_t));
	printf("%d\n", sizeof (size_t));
	printf("%d\n", sizeof (pid_t));
	printf("%d\n", sizeof (uintptr_t));
	printf("%d\n", sizeof (float));
	printf("%d\n", sizeof (double));
	printf("%d\n", sizeof (int [10]));
	printf("%d\n", sizeof (_Bool));
	exit(0);
}

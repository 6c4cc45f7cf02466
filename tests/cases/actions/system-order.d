/*
 * What system() prints comes in its place.
 * @@args: -q -w
 */
BEGIN
{
	printf("one\n");
	system("echo two");
	printf("three\n");
	system("echo four");
	exit(0);
}

/*
 * -s takes a file, and - for standard input.
 */
BEGIN
{
	printf("file\n");
	exit(0);
}
